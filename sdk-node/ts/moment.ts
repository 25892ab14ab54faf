/** What a host tells and asks about: events, and what is about to happen. */

import { encodeContent, type Block, type Content } from "./content.js";
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
  /** The configuration of the extension as it is from now on. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The session before it. */
  readonly previousSession?: string;
  /** The place in the session's history before. */
  readonly oldLeaf?: string;
  /** The place in it now. */
  readonly newLeaf?: string;
  /** The message. */
  readonly message?: EventMessage;
  /** The messages that came of the prompt, the newest last. */
  readonly messages?: readonly EventMessage[];
  /** What the tools of the turn answered, as messages of the role `tool`. */
  readonly toolResults?: readonly EventMessage[];
  /** What led to a compaction: `manual`, `threshold`, `overflow`, `idle`. */
  readonly trigger?: string;
  /** How the history is shortened: `summary`, `handoff`, or a way of the agent's own. */
  readonly action?: string;
  /** Which try it is, from 1. */
  readonly attempt?: number;
  /** How many tries there are at most. */
  readonly maxAttempts?: number;
  /** How long it waits before that try, in milliseconds. */
  readonly delayMs?: number;
  /** Whether it is tried again. */
  readonly willRetry?: boolean;
  /** The names of the rules. */
  readonly rules?: readonly string[];
  /** What is not done yet. */
  readonly todos?: readonly Todo[];
  /** The model's provider. */
  readonly provider?: string;
  /** The model. */
  readonly model?: string;
}

/** Something happened: `event` says what, the rest of what the host says stands beside it. */
export interface Event extends EventPayload {
  /** What happened: `turn_start`, ... */
  readonly event: string;
}

/** An event by its name, with the members that it carries. */
export type Told<Name extends string, Members extends keyof EventPayload = never> = {
  readonly event: Name;
} & Pick<EventPayload, Members | "sessionId" | "cwd" | "sequence">;

/** What the handler of each event gets. */
export interface Events {
  /** A conversation opens. */
  session_start: Told<"session_start", "reason">;
  /** A model call begins. */
  turn_start: Told<"turn_start", "step">;
  /** A model call ended; its tools run after it, unless there are results. */
  turn_end: Told<"turn_end", "stop" | "error" | "message" | "toolResults">;
  /** The model asked for a tool; the arguments are the model's own. */
  tool_call: Told<"tool_call", "toolId" | "toolName" | "toolArgs">;
  /** A message of the model is complete. */
  assistant_message: Told<"assistant_message", "text">;
  /** The conversation closes. */
  session_end: Told<"session_end", "reason">;
  /** The user's input was taken. */
  user_prompt_submit: Told<"user_prompt_submit", "text" | "queued" | "imageCount">;
  /** A tool call ended; the arguments are the final ones. */
  tool_result: Told<
    "tool_result",
    "toolId" | "toolName" | "toolArgs" | "toolArgsRaw" | "status" | "executed" | "result" | "originExtension"
  >;
  /** The user is about to be asked whether a call may run. */
  tool_confirmation_requested: Told<"tool_confirmation_requested", "toolId" | "toolName" | "toolPreview">;
  /** It was decided whether a call may run. */
  permission_decision: Told<
    "permission_decision",
    "toolId" | "toolName" | "decision" | "source" | "stage" | "reason"
  >;
  /** The history is about to be shortened. */
  pre_compact: Told<"pre_compact", "compactionId" | "messageCount" | "tokenEstimate" | "trigger" | "action">;
  /** The history was shortened, or was not. */
  post_compact: Told<
    "post_compact",
    "compactionId" | "messageCount" | "tokenEstimate" | "status" | "error" | "trigger" | "action" | "willRetry"
  >;
  /** A subagent begins. */
  subagent_start: Told<"subagent_start", "agentId" | "agentRunId" | "name">;
  /** A subagent ended. */
  subagent_stop: Told<"subagent_stop", "agentId" | "agentRunId" | "name" | "status" | "error">;
  /** The configuration of the extension is another one; `ctx.config` has it already. */
  config_changed: Told<"config_changed", "config">;
  /** Another conversation is served from now on. */
  session_switch: Told<"session_switch", "previousSession">;
  /** A conversation that branched off is served from now on. */
  session_branch: Told<"session_branch", "previousSession">;
  /** The conversation goes on at another place of its history. */
  session_tree: Told<"session_tree", "oldLeaf" | "newLeaf">;
  /** The agent takes up a prompt. */
  agent_start: Told<"agent_start", "agentRunId">;
  /** The agent is done with the prompt. */
  agent_end: Told<"agent_end", "agentRunId" | "stop" | "error" | "messages" | "messageCount">;
  /** A message begins, of whatever role. */
  message_start: Told<"message_start", "message">;
  /** A message has grown: all of it as it stands. A handler that is slower than the model gets the newest state. */
  message_update: Told<"message_update", "message">;
  /** A message is complete. */
  message_end: Told<"message_end", "message">;
  /** A call of the model failed and is made again. */
  auto_retry_start: Told<"auto_retry_start", "attempt" | "maxAttempts" | "delayMs" | "error">;
  /** The tries are over. */
  auto_retry_end: Told<"auto_retry_end", "attempt" | "status" | "error">;
  /** What the model wrote broke a rule, which it is reminded of. */
  rule_triggered: Told<"rule_triggered", "rules" | "text">;
  /** The agent wants to end, and is reminded of what is not done. */
  todo_reminder: Told<"todo_reminder", "todos" | "attempt" | "maxAttempts">;
  /** Another model is asked from now on. */
  model_changed: Told<"model_changed", "model" | "provider">;
  /** The working directory is another one from now on. */
  cwd_changed: Told<"cwd_changed">;
}

/** The name of an event. */
export type EventName = keyof Events;

/** The name of an event that is about a tool. */
export type ToolEventName = "tool_call" | "tool_result" | "tool_confirmation_requested" | "permission_decision";

const NAMES: Readonly<Record<EventName, true>> = {
  session_start: true,
  turn_start: true,
  turn_end: true,
  tool_call: true,
  assistant_message: true,
  session_end: true,
  user_prompt_submit: true,
  tool_result: true,
  tool_confirmation_requested: true,
  permission_decision: true,
  pre_compact: true,
  post_compact: true,
  subagent_start: true,
  subagent_stop: true,
  config_changed: true,
  session_switch: true,
  session_branch: true,
  session_tree: true,
  agent_start: true,
  agent_end: true,
  message_start: true,
  message_update: true,
  message_end: true,
  auto_retry_start: true,
  auto_retry_end: true,
  rule_triggered: true,
  todo_reminder: true,
  model_changed: true,
  cwd_changed: true,
};
/** The events that there are. */
export const EVENTS = Object.keys(NAMES);

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
