/** What the extension answered. */

import type { Failure } from "../errors.js";
import type { OutputBlock } from "../tool-output.js";
import type { ShownPanel } from "./seen.js";

/** An update as it came, with the names of the wire. */
export interface UpdateFrame {
  readonly content?: readonly OutputBlock[];
  readonly details?: unknown;
  readonly view?: unknown;
  readonly progress?: {
    readonly message?: string;
    readonly done?: number;
    readonly total?: number;
    readonly unit?: string;
  };
}

/** A frame `tool_result`. */
export interface ResultFrame {
  readonly content: readonly OutputBlock[];
  readonly is_error?: boolean;
  readonly structured_content?: unknown;
  readonly details?: unknown;
  readonly view?: unknown;
  readonly effects?: readonly Readonly<Record<string, unknown>>[];
  readonly activate_tools?: readonly string[];
  readonly trust?: string;
  readonly error?: Failure;
}

/** What a tool answered, and the updates that came before. A tool that failed has answered too. */
export class Answer {
  /** The frame as it came. */
  readonly frame: ResultFrame;
  /**
   * The updates in their order. Of several within 50 ms only the last is sent, so a test waits for one
   * with `host.nextUpdate(call)` rather than counting them.
   */
  readonly updates: readonly UpdateFrame[];

  /** @internal */
  constructor({ frame, updates }: Pick<Answer, "frame" | "updates">) {
    this.frame = frame;
    this.updates = updates;
  }

  /** The text blocks, joined by line ends; what the model reads. */
  get text(): string {
    return this.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }

  /** All blocks, images included, with the names of the wire. */
  get content(): readonly OutputBlock[] {
    return this.frame.content;
  }

  /** The result as a value; undefined when the tool gave none. */
  get value(): any {
    return this.frame.structured_content;
  }

  /** What is for the user's eyes and not for the model. */
  get details(): any {
    return this.frame.details;
  }

  /** How a person is shown the result; undefined when the tool does not say. */
  get view(): any {
    return this.frame.view;
  }

  /** What the call did to the world, with the names of the wire. */
  get effects(): readonly Readonly<Record<string, unknown>>[] {
    return this.frame.effects ?? [];
  }

  /** Tools to offer from now on. */
  get activated(): readonly string[] {
    return this.frame.activate_tools ?? [];
  }

  /** How far the content may be trusted, where the tool says so. */
  get trust(): string | undefined {
    return this.frame.trust;
  }

  /** Whether the tool failed. What its handler throws is such a failure. */
  get isError(): boolean {
    return this.frame.is_error ?? false;
  }

  /** Why it failed, with the names of the wire. */
  get error(): Failure | undefined {
    return this.frame.error;
  }

  /** The kind of the failure: `validation`, `not_found`, ... */
  get kind(): string | undefined {
    return this.error?.kind;
  }

  /** JSON pointer of the argument that is wrong, where the failure names one. */
  get field(): string | undefined {
    return this.error?.field;
  }

  /** What to do about it, where the failure says so. */
  get hint(): string | undefined {
    return this.error?.hint;
  }
}

/** A frame `command_response`. */
export interface CommandFrame {
  readonly action: string;
  readonly prompt?: string;
  readonly insert?: string;
  readonly display?: string;
  readonly open_panel?: ShownPanel;
  readonly tool_name?: string;
  readonly tool_args?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** What a command answered. */
export class CommandAnswer {
  /** The frame as it came. */
  readonly frame: CommandFrame;

  /** @internal */
  constructor(frame: CommandFrame) {
    this.frame = frame;
  }

  /** What it says: equal to the `fields` of the `Response` that the handler returned. */
  get fields(): Readonly<Record<string, unknown>> {
    const { type: _type, id: _id, ...fields } = this.frame as CommandFrame & { type: string; id: string };
    return fields;
  }

  /** What the host is to do: `prompt`, `display`, `noop`, ... */
  get action(): string {
    return this.frame.action;
  }

  /** The prompt for the model. */
  get prompt(): string | undefined {
    return this.frame.prompt;
  }

  /** The text for the editor. */
  get insert(): string | undefined {
    return this.frame.insert;
  }

  /** The text to show. */
  get display(): string | undefined {
    return this.frame.display;
  }

  /** The panel to open. */
  get panel(): ShownPanel | undefined {
    return this.frame.open_panel;
  }

  /** The tool that is to be called, and its arguments. */
  get toolCall(): { readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | undefined {
    const { tool_name: tool, tool_args: args = {} } = this.frame;
    return tool === undefined ? undefined : { tool, args };
  }

  /** Why the command failed. */
  get error(): string | undefined {
    return this.frame.error || undefined;
  }
}

/** A frame `event_intercept_response`. */
export interface DecisionFrame {
  readonly block?: boolean;
  readonly ask?: boolean;
  readonly reason?: string;
  readonly modified_args?: Readonly<Record<string, unknown>>;
  readonly replace_text?: string;
  readonly system_prompt?: string;
}

/** What the extension made of what was about to happen. */
export class Ruling {
  /** Why it must not happen. */
  blocked: string | undefined;
  /** Why a person is asked before it happens. */
  asked: string | undefined;
  /** The arguments that count instead. */
  rewritten: Readonly<Record<string, unknown>> | undefined;
  /** The text that counts instead. */
  replaced: string | undefined;
  /** The system prompt that counts instead. */
  systemPrompt: string | undefined;
  /**
   * What stands in the place of a tool's result, with the names of the wire: those of `content`, `structured_content`,
   * `details` and `is_error` that were replaced.
   */
  result: Readonly<Record<string, any>> | undefined;
  /** True where the extension has dealt with a prompt. */
  handled: boolean | undefined;

  /** @internal */
  constructor(said: Partial<Ruling> & { system_prompt?: string }) {
    const { blocked, asked, rewritten, replaced, system_prompt, result, handled } = said;
    Object.assign(this, { blocked, asked, rewritten, replaced, systemPrompt: system_prompt, result, handled });
  }

  /** Whether it goes on as it was. */
  get isAllowed(): boolean {
    const { blocked, asked, rewritten, replaced, systemPrompt, result, handled } = this;
    return [blocked, asked, rewritten, replaced, systemPrompt, result, handled].every((one) => one === undefined);
  }
}

/** What a method answered: its value, or its error; and the parts that came before. */
export class MethodAnswer {
  /** The result. */
  readonly value: any;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** What came before the result. */
  readonly parts: readonly any[];

  /** @internal */
  constructor({ parts, value, error }: Pick<MethodAnswer, "parts" | "value" | "error">) {
    this.parts = parts;
    this.value = value;
    this.error = error;
  }

  /** The kind of the failure. */
  get kind(): string | undefined {
    return this.error?.code;
  }
}
