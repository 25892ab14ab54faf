/** What a host tells and asks about: events, and what is about to happen. */

import { encodeContent, type Block, type Content } from "./content.js";
import type { EventPayload } from "./events.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import type { OutputBlock } from "./tool-output.js";

/** A message of the conversation, with the names of the wire. */
export interface EventMessage {
  /** Who wrote it: `user`, `assistant`, `tool`, or another of the agent's own. */
  readonly role: string;
  /** Its blocks. Those that are neither text nor an image are the agent's own. */
  readonly content: readonly OutputBlock[];
  /** The model's id of the tool call that it answers. */
  readonly tool_id?: string;
  /** The tool that it is the answer of. */
  readonly tool_name?: string;
  /** That call failed. */
  readonly is_error?: boolean;
  /** Blocks were cut. */
  readonly truncated?: boolean;
}

/** What is to be done, of an agent's list. */
export interface Todo {
  /** What it is. */
  readonly text: string;
  /** How it stands: `pending`, `in_progress`, `completed`, `abandoned`. */
  readonly status?: string;
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

/** What the handler of an event may return: what looks like a decision would be lost. */
export type Unheard = Undecided | PromiseLike<Undecided>;
type Undecided =
  | void
  | null
  | undefined
  | string
  | number
  | bigint
  | boolean
  | symbol
  | (object & { readonly block?: never; readonly cancel?: never; readonly systemPrompt?: never; readonly then?: never });

/** What becomes of something that is about to happen; made by the functions of what a handler gets. */
export class Decision {
  /** The method of the moment that made it. @internal */
  readonly method: string;
  /** Why it must not happen, or what goes on in its place. @internal */
  readonly value: unknown;
  /** For the compiler: nothing else is a decision. */
  protected declare readonly made: true;

  /** @internal */
  constructor(method: string, value: unknown) {
    this.method = method;
    this.value = value;
  }
}

/**
 * The first block or question that a handler made of a moment, else the first other decision: whoever forgets to
 * return it.
 */
const made = new WeakMap<Moment, Decision>();

/** The decision that a handler made of its moment, returned or not. */
export function madeOf(moment: Moment): Decision | undefined {
  return made.get(moment);
}

/** Whether it counts also where it is not returned: what its author meant to stop would go on. */
export function stops(decision: Decision | undefined): boolean {
  return decision !== undefined && ["block", "ask", "handled"].includes(decision.method);
}

function decide(moment: Moment, method: string, value: unknown): Decision {
  const decision = new Decision(method, value);
  const before = made.get(moment);
  if (before === undefined || (stops(decision) && !stops(before))) made.set(moment, decision);
  return decision;
}

/** Something is about to happen; a handler returns what is to become of it, or nothing: it goes on. */
export interface Moment extends Event {}
/** Something is about to happen. */
export class Moment {
  /** @internal */
  constructor(frame: Frame) {
    Object.assign(this, frame);
  }
}

/** Something is about to happen that a handler can block. */
export class BlockableMoment extends Moment {
  /** It must not happen; the model or the user reads why. A handler that calls this and returns nothing blocks too. */
  block(reason: string): Decision {
    if (typeof reason !== "string") throw new TypeError(`say why: block(reason); this is ${sayType(reason)}`);
    return decide(this, "block", reason);
  }
}

/** A tool is about to be called. */
export class ToolUse extends BlockableMoment {
  /** The tool's name. */
  readonly tool: string;
  /** The arguments; empty when there are none. To change them changes nothing. */
  readonly args: { readonly [name: string]: unknown };

  /** @internal */
  constructor(frame: Frame) {
    // A copy, so that no handler changes what the next one sees.
    const toolArgs = copyOf(frame["toolArgs"]);
    super("toolArgs" in frame ? { ...frame, toolArgs } : frame);
    const { toolName } = frame;
    this.tool = typeof toolName === "string" ? toolName : "";
    this.args = isObject(toolArgs) ? toolArgs : {};
  }
}

/** A tool call as a guard sees it: with the arguments that will run. */
export class GuardedToolUse extends ToolUse {
  /**
   * A person is asked before it happens, and reads why. Where the host cannot ask one, as a zot or an agent without
   * approvals, the call is blocked. A block of another guard counts for more. A guard that calls this and returns
   * nothing asks too.
   */
  ask(reason: string): Decision {
    if (typeof reason !== "string") throw new TypeError(`say why: ask(reason); this is ${sayType(reason)}`);
    return decide(this, "ask", reason);
  }
}

/** A tool call as an interceptor sees it; guards come after the last rewrite. */
export class RewritableToolUse extends ToolUse {
  /** It is called with these arguments instead. */
  rewrite(args: object): Decision {
    if (!isObject(args)) throw new TypeError(`arguments are an object, and this is ${sayType(args)}`);
    return decide(this, "rewrite", args);
  }
}

/** The model is about to be called: `step` counts the calls of a prompt. */
export class ModelCall extends BlockableMoment {}

/** A message of the model is about to count: `text`. */
export class Message extends BlockableMoment {
  /** Another text counts instead. */
  replace(text: string): Decision {
    if (typeof text !== "string") throw new TypeError(`a text is a string, and this is ${sayType(text)}`);
    return decide(this, "replace", text);
  }
}

/** An agent is about to run. It cannot be blocked. */
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
    return decide(this, "systemPrompt", prompt);
  }
}

/** Why a call failed, with the names of the wire. */
export interface AnswerError {
  /** What kind of failure it is. */
  readonly kind: string;
  /** What happened. */
  readonly message: string;
  readonly [name: string]: unknown;
}

/** What stands in the place of a tool's result beside its content. */
export interface ReplaceOptions {
  /** Another value. Without one the old one goes where the content is replaced: it says the same. */
  readonly structuredContent?: unknown;
  /** Other details for the user's eyes. */
  readonly details?: unknown;
  /** Whether the call counts as failed. */
  readonly isError?: boolean | undefined;
}

/**
 * What a tool came to, before its caller gets it: of every tool, also of a call that failed. The tool has run; nothing
 * here undoes that.
 */
export class ToolAnswer extends Moment {
  /** The tool's name. */
  readonly tool: string;
  /** The arguments with which it ran; empty where the host does not say them. */
  readonly args: { readonly [name: string]: unknown };
  /** What the model is to read. */
  readonly content: readonly OutputBlock[];
  /** The text blocks, joined by line ends. */
  override readonly text: string;
  /** The result as a value. */
  readonly structuredContent: unknown;
  /** What is for the user's eyes. */
  readonly details: unknown;
  /** Whether the call failed. */
  readonly isError: boolean;
  /** Why it failed, where that is said. */
  readonly failure: AnswerError | undefined;

  /** @internal */
  constructor(frame: Frame) {
    const { toolArgs, result, ...rest } = frame;
    super(rest as Frame);
    this.tool = typeof frame["toolName"] === "string" ? frame["toolName"] : "";
    const args = copyOf(toolArgs);
    this.args = isObject(args) ? args : {};
    const copy = copyOf(result);
    const said = isObject(copy) ? copy : {};
    this.content = Array.isArray(said["content"]) ? said["content"] : [];
    this.text = this.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    this.structuredContent = said["structured_content"];
    this.details = said["details"];
    this.isError = said["is_error"] === true;
    this.failure = said["error"] as AnswerError | undefined;
  }

  /**
   * The caller gets this in its place; what is undefined stays as it was. Blocks are written as those of a
   * {@link ToolResult}, or as `content` has them.
   */
  replace(content?: Content | readonly (OutputBlock | Block)[], options: ReplaceOptions = {}): Decision {
    const { structuredContent, details, isError } = options;
    const members = [
      content === undefined ? undefined : `"content":${encodeBlocks(content)}`,
      structuredContent === undefined ? undefined : `"structured_content":${encodeJson(structuredContent)}`,
      details === undefined ? undefined : `"details":${encodeJson(details)}`,
      isError === undefined ? undefined : `"is_error":${isError ? "true" : "false"}`,
    ];
    return decide(this, "replaceResult", `{${members.filter((one) => one !== undefined).join(",")}}`);
  }

  /** The call counts as failed, and the model reads this. */
  fail(text: string): Decision {
    if (typeof text !== "string") throw new TypeError(`say why: fail(text); this is ${sayType(text)}`);
    return this.replace(text, { isError: true });
  }

  /**
   * Nobody gets the result; the model reads by whom it was withheld and why. A handler that calls this and returns
   * nothing withholds it too.
   */
  withhold(reason: string): Decision {
    if (typeof reason !== "string") throw new TypeError(`say why: withhold(reason); this is ${sayType(reason)}`);
    return decide(this, "block", reason);
  }
}

/** The user has sent a prompt, which the agent is about to take: `text`. */
export class UserPrompt extends BlockableMoment {
  /** The agent takes this text instead. */
  replace(text: string): Decision {
    if (typeof text !== "string") throw new TypeError(`a text is a string, and this is ${sayType(text)}`);
    return decide(this, "replace", text);
  }

  /**
   * The extension has dealt with it: the agent sends nothing to the model. A handler that calls this and returns nothing
   * has dealt with it too.
   */
  handled(): Decision {
    return decide(this, "handled", "");
  }
}

/** What the handler of each point gets. */
export interface Points {
  tool_call: RewritableToolUse;
  turn_start: ModelCall;
  assistant_message: Message;
  before_agent_start: AgentStart;
  tool_result: ToolAnswer;
  user_prompt_submit: UserPrompt;
}

const POINTS: Readonly<Record<string, new (frame: Frame) => Moment>> = {
  tool_call: RewritableToolUse,
  turn_start: ModelCall,
  assistant_message: Message,
  before_agent_start: AgentStart,
  tool_result: ToolAnswer,
  user_prompt_submit: UserPrompt,
};

/** The points that there are. */
export const POINT_NAMES = Object.keys(POINTS);

/** What the handlers of a point get. */
export function momentOf(frame: Frame): Moment {
  const kind = Object.hasOwn(POINTS, frame.event) ? POINTS[frame.event] : undefined;
  return new (kind ?? BlockableMoment)(frame);
}

/** The name of a member that a handler has changed by hand; undefined where there is none. */
export function changedMember(moment: Moment, asItWas: Moment): string | undefined {
  const [now, before] = [moment, asItWas] as unknown as Record<string, unknown>[];
  return Object.keys({ ...before, ...now }).findLast((name) => !isSame(now![name], before![name]));
}

/** Blocks of an answer go back as they came. */
function encodeBlocks(content: unknown): string {
  if (!Array.isArray(content)) return encodeContent(content);
  const isWire = (block: unknown) => isObject(block) && typeof block["type"] === "string" && !("mimeType" in block);
  const texts = content.map((block) => {
    if (isWire(block) && (block["type"] === "text" || "mime_type" in block)) return encodeJson(block);
    return encodeContent([block]).slice(1, -1);
  });
  return `[${texts.join(",")}]`;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of a JSON value; texts are shared, so it costs by the number of members. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  const members = (name: string) => [(one as never)[name], (other as never)[name]] as const;
  return names.length === others.length && names.every((name) => Object.hasOwn(other, name) && isSame(...members(name)));
}
