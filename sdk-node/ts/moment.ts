/** What a host tells and asks about: events, and what is about to happen. */

import { sayType } from "./lossy.js";

/** What an event may carry; which of it stands depends on the event. */
export interface EventPayload {
  /** Number of the model call within the prompt, from 1. */
  readonly step?: number;
  /** Why a turn ended: `end`, `length`, `tool_use`, `error`, `aborted`. */
  readonly stop?: string;
  /** What went wrong. */
  readonly error?: string;
  /** The model's id of the tool call. */
  readonly toolId?: string;
  /** The tool. */
  readonly toolName?: string;
  /** Its arguments. */
  readonly toolArgs?: unknown;
  /** The text of a message. */
  readonly text?: string;
  /** The session. */
  readonly sessionId?: string;
  /** The working directory. */
  readonly cwd?: string;
  /** Number of the event within the session. */
  readonly sequence?: number;
  /** How something stands. */
  readonly status?: string;
  /** Why. */
  readonly reason?: string;
  /** Where it came from. */
  readonly source?: string;
  /** What was decided. */
  readonly decision?: string;
  /** How far it is. */
  readonly stage?: string;
  /** What the tool answered, with the names of the wire. */
  readonly result?: { readonly content: readonly unknown[]; readonly is_error?: boolean; readonly truncated?: boolean };
  /** Whether the tool ran. */
  readonly executed?: boolean;
  /** The arguments as the model wrote them, where they are no JSON. */
  readonly toolArgsRaw?: string;
  /** The call in a line, for a person. */
  readonly toolPreview?: string;
  /** Messages in the history. */
  readonly messageCount?: number;
  /** Tokens in the history, about. */
  readonly tokenEstimate?: number;
  /** The compaction. */
  readonly compactionId?: string;
  /** The agent. */
  readonly agentId?: string;
  /** The agent's run. */
  readonly agentRunId?: string;
  /** A name that belongs to the event. */
  readonly name?: string;
  /** The prompt waits for the turn to end. */
  readonly queued?: boolean;
  /** Images in the prompt. */
  readonly imageCount?: number;
  /** The extension that caused it. */
  readonly originExtension?: string;
  /** The model's provider, at an intercept. */
  readonly provider?: string;
  /** The model, at an intercept. */
  readonly model?: string;
}

/** Something happened: `event` says what, the rest of what the host says stands beside it. */
export interface Event extends EventPayload {
  /** What happened: `turn_start`, ... */
  readonly event: string;
}

/** A frame `event` or `event_intercept`, with the names of JavaScript. */
export type Frame = Record<string, unknown> & { readonly event: string };

/** The frame's members, by the names of JavaScript. */
export function frameOf(text: string): Frame {
  const frame: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
    if (name !== "type" && name !== "id") frame[name.replace(/_[a-z]/g, (at) => at.slice(1).toUpperCase())] = value;
  }
  return frame as Frame;
}

/** What becomes of something that is about to happen; made by the functions of what a handler gets. */
export class Decision {
  /** The members of the answer, with the names of the wire. @internal */
  readonly fields: Readonly<Record<string, unknown>>;
  /** For the compiler: nothing else is a decision. */
  protected declare readonly made: true;

  /** @internal */
  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }
}

/** Something is about to happen; a handler returns what is to become of it, or nothing: it goes on. */
export interface Moment extends Event {}
/** Something is about to happen. */
export class Moment {
  /** @internal */
  constructor(frame: Frame) {
    Object.assign(this, frame);
  }

  /** It must not happen; the model or the user reads why. */
  block(reason: string): Decision {
    if (typeof reason !== "string") throw new TypeError(`say why: block(reason); this is ${sayType(reason)}`);
    return new Decision({ block: true, reason });
  }
}

/** A tool is about to be called. */
export class ToolUse extends Moment {
  /** The tool's name. */
  get tool(): string {
    return this.toolName ?? "";
  }

  /** The arguments; empty when there are none. */
  get args(): { readonly [name: string]: unknown } {
    const args = this.toolArgs;
    return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Record<string, unknown>) : {};
  }
}

/** A tool call as an interceptor sees it; guards come after the last rewrite. */
export class RewritableToolUse extends ToolUse {
  /** It is called with these arguments instead. */
  rewrite(args: object): Decision {
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new TypeError(`arguments are an object, and this is ${sayType(args)}`);
    }
    return new Decision({ modified_args: args });
  }
}

/** The model is about to be called: `step` counts the calls of a prompt. */
export class ModelCall extends Moment {}

/** A message of the model is about to count: `text`. */
export class Message extends Moment {
  /** Another text counts instead. */
  replace(text: string): Decision {
    if (typeof text !== "string") throw new TypeError(`a text is a string, and this is ${sayType(text)}`);
    return new Decision({ replace_text: text });
  }
}

/** An agent is about to run. */
export class AgentStart extends Moment {
  /** Its system prompt as it stands. */
  readonly currentPrompt: string;

  /** @internal */
  constructor({ systemPrompt, ...rest }: Frame & { readonly systemPrompt?: string }) {
    super(rest as Frame);
    this.currentPrompt = systemPrompt ?? "";
  }

  /** Another system prompt; an empty one removes it. */
  systemPrompt(prompt: string): Decision {
    if (typeof prompt !== "string") throw new TypeError(`a prompt is a string, and this is ${sayType(prompt)}`);
    return new Decision({ system_prompt: prompt });
  }
}

/** What the handler of each point gets. */
export interface Points {
  tool_call: RewritableToolUse;
  turn_start: ModelCall;
  assistant_message: Message;
  before_agent_start: AgentStart;
}

const POINTS: Readonly<Record<string, new (frame: Frame) => Moment>> = {
  tool_call: RewritableToolUse,
  turn_start: ModelCall,
  assistant_message: Message,
  before_agent_start: AgentStart,
};

/** What the handlers of a point get. */
export function momentOf(frame: Frame): Moment {
  const kind = Object.hasOwn(POINTS, frame.event) ? POINTS[frame.event] : undefined;
  return new (kind ?? Moment)(frame);
}
