/**
 * What an agent tells of.
 *
 * Written from docs/protocol/specification.md by `make generate`, never by hand.
 */

import type { EventMessage, Todo } from "./moment.js";

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
  /** The conversation. */
  readonly sessionId?: string;
  /** The working directory. */
  readonly cwd?: string;
  /** Number of the event; gaps are ordinary, as not every event is subscribed to. */
  readonly sequence?: number;
  /** `completed`, `failed`, `blocked`, `cancelled`, `timed_out`. */
  readonly status?: string;
  /** Why. */
  readonly reason?: string;
  /** Who decided: `user`, `remembered`, `policy`, `yolo`. */
  readonly source?: string;
  /** `approved`, `denied`, `cancelled`. */
  readonly decision?: string;
  /** `pre_execution` or `tool_execution`. */
  readonly stage?: string;
  /** What a tool answered: `content`, `is_error`, `truncated`; at the point `tool_result` it is whole, with `structured_content`, `details` and `error` as in `tool_result`. */
  readonly result?: { readonly content: readonly unknown[]; readonly is_error?: boolean; readonly truncated?: boolean };
  /** Whether the tool was entered. */
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
  /** The subagent. */
  readonly agentId?: string;
  /** One run of it. */
  readonly agentRunId?: string;
  /** The subagent's name. */
  readonly name?: string;
  /** The prompt waits for the running turn to end. */
  readonly queued?: boolean;
  /** Images in the prompt. */
  readonly imageCount?: number;
  /** The extension whose `call_tool` caused it. */
  readonly originExtension?: string;
  /** The configuration of the extension as it is from now on, an object. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The conversation that was served before. */
  readonly previousSession?: string;
  /** The place in the history of the conversation before. */
  readonly oldLeaf?: string;
  /** The place in it now. */
  readonly newLeaf?: string;
  /** A message: `role` and `content`, of a tool `tool_id`, `tool_name` and `is_error` too; `truncated` says that blocks were cut. */
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
  /** How many tries there are at most; absent where there is no limit. */
  readonly maxAttempts?: number;
  /** How long it waits before that try, in milliseconds. */
  readonly delayMs?: number;
  /** Whether it is tried again. */
  readonly willRetry?: boolean;
  /** The names of the rules. */
  readonly rules?: readonly string[];
  /** What is not done yet, each with `text` and `status`: `pending`, `in_progress`, `completed`, `abandoned`. */
  readonly todos?: readonly Todo[];
  /** The model's provider. */
  readonly provider?: string;
  /** The model. */
  readonly model?: string;
}

/** An event by its name, with the members that it carries. */
export type Told<Name extends string, Members extends keyof EventPayload = never> = {
  readonly event: Name;
} & Pick<EventPayload, Members | "sessionId" | "cwd" | "sequence">;

/** What the handler of each event gets. */
export interface Events {
  /** A conversation opens; hosts of extline say why: `startup`, `resume`, `new` or `fork`. */
  session_start: Told<"session_start", "reason">;
  /** A model call begins. */
  turn_start: Told<"turn_start", "step">;
  /** A model call ended; its tools run after it, unless the host says `toolResults`. */
  turn_end: Told<"turn_end", "stop" | "error" | "message" | "toolResults">;
  /** The model asked for a tool; the arguments are its own. */
  tool_call: Told<"tool_call", "toolId" | "toolName" | "toolArgs" | "originExtension">;
  /** A message of the model is complete; after a rewrite it is the rewritten one. */
  assistant_message: Told<"assistant_message", "text">;
  /** The conversation closes. */
  session_end: Told<"session_end", "reason">;
  /** The user's input was taken. */
  user_prompt_submit: Told<"user_prompt_submit", "text" | "queued" | "imageCount">;
  /** A tool call ended; the arguments are the final ones. */
  tool_result: Told<"tool_result", "toolId" | "toolName" | "toolArgs" | "toolArgsRaw" | "status" | "executed" | "result" | "originExtension">;
  /** The user is about to be asked about a call. */
  tool_confirmation_requested: Told<"tool_confirmation_requested", "toolId" | "toolName" | "toolPreview" | "originExtension">;
  /** It was decided whether a call may run. */
  permission_decision: Told<"permission_decision", "toolId" | "toolName" | "decision" | "source" | "stage" | "reason" | "originExtension">;
  /** The history is about to be shortened. */
  pre_compact: Told<"pre_compact", "compactionId" | "messageCount" | "tokenEstimate" | "trigger" | "action">;
  /** The history was shortened, or was not. */
  post_compact: Told<"post_compact", "compactionId" | "messageCount" | "tokenEstimate" | "status" | "error" | "trigger" | "action" | "willRetry">;
  /** A subagent begins. */
  subagent_start: Told<"subagent_start", "agentId" | "agentRunId" | "name">;
  /** A subagent ended. */
  subagent_stop: Told<"subagent_stop", "agentId" | "agentRunId" | "name" | "status" | "error">;
  /** The configuration of the extension is another one. */
  config_changed: Told<"config_changed", "config">;
  /** Another conversation is served from now on. */
  session_switch: Told<"session_switch", "previousSession">;
  /** A conversation that branched off is served from now on. */
  session_branch: Told<"session_branch", "previousSession">;
  /** The conversation goes on at another place of its history. */
  session_tree: Told<"session_tree", "oldLeaf" | "newLeaf">;
  /** The agent takes up a prompt. */
  agent_start: Told<"agent_start", "agentRunId">;
  /** The agent is done with the prompt; `messageCount` is that of all its messages, also of those that are left out. */
  agent_end: Told<"agent_end", "agentRunId" | "stop" | "error" | "messages" | "messageCount">;
  /** A message begins, of whatever role. */
  message_start: Told<"message_start", "message">;
  /** A message has grown; `message` is all of it as it stands. */
  message_update: Told<"message_update", "message">;
  /** A message is complete. */
  message_end: Told<"message_end", "message">;
  /** A call of the model failed and is made again. */
  auto_retry_start: Told<"auto_retry_start", "attempt" | "maxAttempts" | "delayMs" | "error">;
  /** The tries are over: `completed`, `failed` or `cancelled`. */
  auto_retry_end: Told<"auto_retry_end", "attempt" | "status" | "error">;
  /** What the model wrote broke a rule, which it is reminded of. */
  rule_triggered: Told<"rule_triggered", "rules" | "text">;
  /** The agent wants to end, and is reminded of what is not done. */
  todo_reminder: Told<"todo_reminder", "todos" | "attempt" | "maxAttempts">;
  /** Another model is asked from now on. */
  model_changed: Told<"model_changed", "model" | "provider">;
  /** The working directory is another one: `cwd`. */
  cwd_changed: Told<"cwd_changed">;
}

/** The name of an event. */
export type EventName = keyof Events;

/** The name of an event that is about a tool. */
export type ToolEventName = "tool_call" | "tool_result" | "tool_confirmation_requested" | "permission_decision";

/** The events that there are. */
export const EVENTS: readonly string[] = [
  "session_start",
  "turn_start",
  "turn_end",
  "tool_call",
  "assistant_message",
  "session_end",
  "user_prompt_submit",
  "tool_result",
  "tool_confirmation_requested",
  "permission_decision",
  "pre_compact",
  "post_compact",
  "subagent_start",
  "subagent_stop",
  "config_changed",
  "session_switch",
  "session_branch",
  "session_tree",
  "agent_start",
  "agent_end",
  "message_start",
  "message_update",
  "message_end",
  "auto_retry_start",
  "auto_retry_end",
  "rule_triggered",
  "todo_reminder",
  "model_changed",
  "cwd_changed",
];
