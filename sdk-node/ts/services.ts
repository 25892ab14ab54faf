/**
 * What a host may serve by request, and an extension.
 *
 * Written from protocol/services by `make generate`, never by hand.
 */

/** What `agent.abort` is asked with. */
export interface AgentAbort {
  /** Why, for the user: 1,024 bytes at most. */
  reason?: string | undefined;
}

/** The answer to `agent.abort`. */
export interface AgentAbortAnswer {
  /** Calls of tools that it ended. */
  calls: number;
}

/** How full a conversation is. */
export interface AgentContextUse {
  /** Tokens that it has. */
  tokens: number;
  /** Tokens that it may have. */
  window: number;
}

/** What `agent.state` is asked with: nothing. */
export type AgentState = Record<string, never>;

/** The answer to `agent.state`. */
export interface AgentStateAnswer {
  /** Whether calls run that nobody was asked about, though they need an approval. */
  auto_approve?: boolean | undefined;
  /** How full the conversation is; absent where the agent does not know. */
  context?: AgentContextUse | null | undefined;
  /** The project's folder. */
  cwd?: string | undefined;
  /** Whether it waits for its user: no turn is under way. */
  idle: boolean;
  /** What the agent calls its mode, as "plan"; absent where it has none. */
  mode?: string | null | undefined;
  /** The model in use; empty where there is none. */
  model?: string | undefined;
  /** Whose model it is. */
  provider?: string | undefined;
  /** Messages of its user that wait for the turn to end. */
  queued?: number | undefined;
}

/** What `env.get` is asked with. */
export interface EnvGet {
  /** The variable, as the manifest declares it in `permissions.env`. */
  name: string;
}

/** The answer to `env.get`. */
export interface EnvGetAnswer {
  /** Its value. Bytes that are no UTF-8 are U+FFFD. */
  value: string;
}

/** What `exec.run` is asked with. */
export interface ExecRun {
  /** Its arguments. No shell reads them. */
  args?: readonly string[] | undefined;
  /** The program: a name that is looked for in `PATH`, or a path. */
  command: string;
  /** The folder it runs in: absolute, or from the project's; the project's where it is unsaid. */
  cwd?: string | null | undefined;
  /** Variables of its environment beside those it has from the extension's; `null` takes one away. */
  env?: Readonly<Record<string, string | null>> | undefined;
  /** Bytes that are kept of each stream, its last ones: 262,144 at most, and where it is unsaid. */
  max_bytes?: number | null | undefined;
  /** What it reads; nothing where it is unsaid. 1 MiB at most. */
  stdin?: string | null | undefined;
  /** Whether what it writes is sent as parts while it runs. */
  stream?: boolean | undefined;
  /** Milliseconds that it has, more than 0. Unsaid it has as long as the call. */
  timeout_ms?: number | null | undefined;
}

/** The answer to `exec.run`: how the program ended. One that could not be started is an error. */
export interface ExecRunAnswer {
  /** The code that it ended with; absent where a signal ended it. */
  code?: number | null | undefined;
  /** The signal that ended it, as `SIGKILL`. */
  signal?: string | null | undefined;
  /** What it wrote to stderr, likewise. */
  stderr?: string | undefined;
  /** What it wrote to stdout: the end of it where that is more than `max_bytes`. Bytes that are no UTF-8 are U+FFFD. */
  stdout?: string | undefined;
  /** Whether the host ended it because its time was over. */
  timed_out?: boolean | undefined;
  /** Whether something of what it wrote was cut off. */
  truncated?: boolean | undefined;
}

/** A part of the answer to `exec.run`: what the program has just written. */
export interface ExecRunPart {
  /** Where it wrote it. */
  stream: ExecStream;
  /** What it wrote. Bytes that are no UTF-8 are U+FFFD. */
  text: string;
}

/** A stream of a program. */
export type ExecStream = "stdout" | "stderr";

/** What `lifecycle.activate` is asked with: nothing. */
export type LifecycleActivate = Record<string, never>;

/** The answer to both: nothing. It comes when that is done. */
export type LifecycleActivateAnswer = Record<string, never>;

/** What `lifecycle.deactivate` is asked with. */
export interface LifecycleDeactivate {
  /** How long the answer may take, in milliseconds. No call runs any more. */
  drain_ms: number;
}

/** The answer to both: nothing. It comes when that is done. */
export type LifecycleDeactivateAnswer = Record<string, never>;

/** What `models.list` is asked with: nothing. */
export type ModelsList = Record<string, never>;

/** The answer to `models.list`. It has no keys and no addresses. */
export interface ModelsListAnswer {
  /** The models. */
  models: readonly ModelsModel[];
}

/** A model. */
export interface ModelsModel {
  /** Tokens that a conversation with it may have. */
  context_window?: number | null | undefined;
  /** Whether it is the one in use. */
  current?: boolean | undefined;
  /** What the provider calls it. */
  id: string;
  /** What people call it. */
  name?: string | null | undefined;
  /** Whose model it is. */
  provider: string;
}

/** What `pending.apply` is asked with. */
export interface PendingApply {
  /** The handle of the action, as it was pushed. */
  handle: string;
  /** Why whoever decided wants it; empty where they did not say. */
  reason: string;
}

/** The answer to `pending.apply` and `pending.reject`: what the model is told, as the result of a tool. */
export interface PendingApplyAnswer {
  /** Blocks as those of `tool_result`. Where there are none the host says in its own words what became of it. */
  content?: readonly unknown[] | undefined;
  /** More for the user's eyes. */
  details?: unknown | undefined;
  /** Whether it was not done; then the action is still pending. */
  is_error?: boolean | undefined;
  /** The result as a value. */
  structured_content?: unknown | undefined;
}

/** What `pending.push` is asked with. */
export interface PendingPush {
  /** The same for programs: any JSON, of 256 KiB at most. */
  details?: unknown | undefined;
  /** What the extension knows it by, 1 to 256 bytes: no other pending action of its own has it. */
  handle: string;
  /** What would be done, in a line, as "12 edits": 1 to 1,024 bytes. */
  label: string;
  /** What would be done, for whoever decides: 64 KiB at most. */
  summary?: string | null | undefined;
}

/** The answer to `pending.push`. */
export interface PendingPushAnswer {
  /** What the host knows the action by. No other action of this run has it. */
  action_id: string;
}

/** What `pending.reject` is asked with. */
export interface PendingReject {
  /** The handle of the action, as it was pushed. */
  handle: string;
  /** Why it is not wanted; empty where nobody said. */
  reason: string;
  /** Whether nobody decided that: the conversation has moved on, and the action does not fit it any more. */
  released?: boolean | undefined;
}

/** The answer to `pending.apply` and `pending.reject`: what the model is told, as the result of a tool. */
export interface PendingRejectAnswer {
  /** Blocks as those of `tool_result`. Where there are none the host says in its own words what became of it. */
  content?: readonly unknown[] | undefined;
  /** More for the user's eyes. */
  details?: unknown | undefined;
  /** Whether it was not done; then the action is still pending. */
  is_error?: boolean | undefined;
  /** The result as a value. */
  structured_content?: unknown | undefined;
}

/** What `secret.exists` is asked with. */
export interface SecretExists {
  /** The secret, as the manifest declares it in `permissions.secrets`. */
  name: string;
}

/** The answer to `secret.exists`. */
export interface SecretExistsAnswer {
  /** Whether it is set. */
  exists: boolean;
  /** Where the value comes from, where it is set. */
  source?: SecretSource | null | undefined;
}

/** What `secret.get` is asked with. */
export interface SecretGet {
  /** The secret, as the manifest declares it in `permissions.secrets`. */
  name: string;
  /** What it is for, in a few words, for the person who looks at the audit. */
  purpose?: string | null | undefined;
}

/** The answer to `secret.get`. */
export interface SecretGetAnswer {
  /** The value. */
  value: string;
}

/** Where a host has the value of a secret from. */
export type SecretSource = "agent" | "environment" | "keyring" | "file";

/** What `session.append` is asked with. */
export interface SessionAppend {
  /** What it holds: any JSON, of 262,144 bytes at most. */
  data: unknown;
  /** What kind of entry it is, in the extension's own words: 1 to 128 bytes. */
  type: string;
}

/** The answer to `session.append`. */
export interface SessionAppendAnswer {
  /** Names the entry. */
  id: string;
}

/** What `session.branch` is asked with. */
export interface SessionBranch {
  /** Only entries behind this one: `next` of the page before. */
  after?: string | null | undefined;
  /** So many entries at most: 1 to 1,000, and as many where it is unsaid. */
  limit?: number | null | undefined;
  /** Only entries of these types. */
  types?: readonly string[] | null | undefined;
}

/** The answer to `session.branch`: a page of entries, the oldest first. */
export interface SessionBranchAnswer {
  /** The entries. */
  entries: readonly SessionSessionEntry[];
  /** The place in the history that the branch leads to; absent where there is none. */
  leaf?: string | null | undefined;
  /** What the next page is asked for with, as `after`; absent where this is the last one. */
  next?: string | null | undefined;
}

/** What `session.info` is asked with: nothing. */
export type SessionInfo = Record<string, never>;

/** The answer to `session.info`. */
export interface SessionInfoAnswer {
  /** Whether what is kept is still there when the host is started again. */
  durable: boolean;
  /** Its id; absent where the host has none. Then what is kept with the session is gone when the host ends. */
  id?: string | null | undefined;
  /** The place in the history that the next entry stands behind; absent where there is none. */
  leaf?: string | null | undefined;
  /** The conversation that it branched off from. */
  parent?: string | null | undefined;
  /** The project's folder, by which the scope `project` is kept. */
  project: string;
}

/** An entry of the history. */
export interface SessionSessionEntry {
  /** When it was added, in milliseconds since 1970. */
  at_ms: number;
  /** What it holds. */
  data: unknown;
  /** Names it. */
  id: string;
  /** Its type. */
  type: string;
}

/** What `state.delete` is asked with. */
export interface StateDelete {
  /** The key: 1 to 256 bytes. */
  key: string;
  /** Only if the value has this revision still. Unsaid: whatever there is. */
  revision?: number | null | undefined;
  /** The scope. */
  scope: StateScope;
  /** The version of the slot that the extension knows; 1 where it is unsaid. */
  slot_version?: number | null | undefined;
}

/** The answer to `state.delete`. */
export interface StateDeleteAnswer {
  /** Whether there was a value. */
  deleted: boolean;
}

/** What `state.get` is asked with. */
export interface StateGet {
  /** The key: 1 to 256 bytes. */
  key: string;
  /** The scope. */
  scope: StateScope;
  /** The version of the slot that the extension knows; 1 where it is unsaid. */
  slot_version?: number | null | undefined;
}

/** The answer to `state.get`. */
export interface StateGetAnswer {
  /** Its revision; 0 where there is none. A later one is greater. */
  revision: number;
  /** The version of the slot. */
  slot_version: number;
  /** The value; absent where there is none. */
  value?: unknown | undefined;
}

/** A key that has a value. */
export interface StateKey {
  /** Bytes of its value. */
  bytes: number;
  /** The key. */
  key: string;
  /** The revision of its value. */
  revision: number;
}

/** What `state.list` is asked with. */
export interface StateList {
  /** Only keys behind this one: `next` of the page before. */
  after?: string | null | undefined;
  /** So many keys at most: 1 to 1,000, and as many where it is unsaid. */
  limit?: number | null | undefined;
  /** Only keys that begin with it. */
  prefix?: string | null | undefined;
  /** The scope. */
  scope: StateScope;
  /** The version of the slot that the extension knows; 1 where it is unsaid. */
  slot_version?: number | null | undefined;
}

/** The answer to `state.list`: a page of keys, by their bytes. */
export interface StateListAnswer {
  /** Bytes that the whole slot has. */
  bytes: number;
  /** The keys. */
  keys: readonly StateKey[];
  /** What the next page is asked for with, as `after`; absent where this is the last one. */
  next?: string | null | undefined;
}

/** What `state.migrate` is asked with. */
export interface StateMigrate {
  /** Values by their keys: all of the slot, or a megabyte of them. */
  data: Readonly<Record<string, unknown>>;
  /** The version that the values have. */
  from: number;
  /** Whether the slot has more, which is asked for next. */
  more?: boolean | undefined;
  /** The scope whose slot it is. */
  scope: StateScope;
  /** The version that they are to have. */
  to: number;
}

/** The answer to `state.migrate`. */
export interface StateMigrateAnswer {
  /** What stands in their place. */
  data: Readonly<Record<string, unknown>>;
}

/** For how long a value is kept, and who shares it. */
export type StateScope = "session" | "project" | "global";

/** What `state.set` is asked with. */
export interface StateSet {
  /** The key: 1 to 256 bytes. */
  key: string;
  /** Only if the value has this revision still; 0: only if there is none. Unsaid: whatever there is. */
  revision?: number | null | undefined;
  /** The scope. */
  scope: StateScope;
  /** The version of the slot that the extension knows; 1 where it is unsaid. */
  slot_version?: number | null | undefined;
  /** The value: any JSON, of 65,536 bytes at most. */
  value: unknown;
}

/** The answer to `state.set`. */
export interface StateSetAnswer {
  /** The revision that the value has now. */
  revision: number;
}

/** What `tool.approval` is asked with. */
export interface ToolApproval {
  /** The arguments, as they would run. */
  args: Readonly<Record<string, unknown>>;
  /** The tool that is to be called. */
  tool: string;
}

/** The answer to `tool.approval`. What it does not say stands as the tool declares it. */
export interface ToolApprovalAnswer {
  /** What the call would do, a line each, for the person. */
  details?: readonly string[] | undefined;
  /** Template over the arguments that says which calls one approval covers. */
  key?: string | null | undefined;
  /** Whether the call needs an approval; it does where that is unsaid. */
  policy?: ToolPolicy | undefined;
  /** Why it is asked, or why it is denied, in one line. */
  reason?: string | null | undefined;
  /** How much the call can do. */
  tier?: ToolTier | null | undefined;
}

/** Whether a call needs an approval. */
export type ToolPolicy = "allow" | "deny" | "prompt";

/** How much a call can do. */
export type ToolTier = "read" | "write" | "exec";

/** What `tools.activate` and `tools.deactivate` are asked with. */
export interface ToolsActivate {
  /** The tools: 1 to 1,000. The others stay as they are. */
  names: readonly string[];
}

/** The answer to `tools.activate` and `tools.deactivate`. */
export interface ToolsActivateAnswer {
  /** Those that were not so before. */
  changed: readonly string[];
}

/** What `tools.activate` and `tools.deactivate` are asked with. */
export interface ToolsDeactivate {
  /** The tools: 1 to 1,000. The others stay as they are. */
  names: readonly string[];
}

/** The answer to `tools.activate` and `tools.deactivate`. */
export interface ToolsDeactivateAnswer {
  /** Those that were not so before. */
  changed: readonly string[];
}

/** What `tools.list` is asked with: nothing. */
export type ToolsList = Record<string, never>;

/** The answer to `tools.list`. */
export interface ToolsListAnswer {
  /** All tools, by name; those that are not active too. */
  tools: readonly ToolsListedTool[];
}

/** A tool of the agent's or of an extension. */
export interface ToolsListedTool {
  /** Whether the model is offered it. */
  active: boolean;
  /** What it does. */
  description?: string | undefined;
  /** The extension that has it; absent for one of the agent's own. */
  extension?: string | null | undefined;
  /** Its name. */
  name: string;
}

/** What `ui.ask` is asked with. */
export interface UiAsk {
  /** The questions, one at least, in their order. */
  questions: readonly UiQuestion[];
  /** Milliseconds that the person has for all of them, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
}

/** What a dialog is answered with. */
export type UiAskAnswer = { answers: Readonly<Record<string, readonly string[]>> } | { dismissed: UiDismissal };

/** What `ui.auth` is asked with. */
export interface UiAuth {
  /** What is entered there. */
  code?: string | null | undefined;
  /** More about it, in several lines perhaps. */
  message?: string | null | undefined;
  /** Milliseconds until the code is of no use, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
  /** Where the person signs in: a URL of http or https. */
  url: string;
}

/** What a dialog is answered with. */
export type UiAuthAnswer = { confirmed: boolean } | { dismissed: UiDismissal };

/** An option of `ui.select`. */
export type UiChoice = string | { description?: string | null | undefined; label: string; value?: string | null | undefined };

/** What `ui.confirm` is asked with. */
export interface UiConfirm {
  /** More about it, in several lines perhaps. */
  message?: string | null | undefined;
  /** Milliseconds that the person has, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
  /** The question, in one line. */
  title: string;
}

/** What a dialog is answered with. */
export type UiConfirmAnswer = { confirmed: boolean } | { dismissed: UiDismissal };

/** Why a dialog was closed without an answer. */
export type UiDismissal = "user" | "timeout" | "cancelled" | "headless";

/** What `ui.editor` is asked with. */
export interface UiEditor {
  /** The text to begin with. */
  prefill?: string | null | undefined;
  /** Milliseconds that the person has, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
  /** What the text is for, in one line. */
  title: string;
}

/** What a dialog is answered with. */
export type UiEditorAnswer = { value: string } | { dismissed: UiDismissal };

/** What `ui.input` is asked with. */
export interface UiInput {
  /** An example of an answer, shown where nothing is typed yet. */
  placeholder?: string | null | undefined;
  /** Whether what is typed is not shown. */
  secret?: boolean | undefined;
  /** Milliseconds that the person has, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
  /** The question, in one line. */
  title: string;
}

/** What a dialog is answered with. */
export type UiInputAnswer = { value: string } | { dismissed: UiDismissal };

/** Where a widget stands. */
export type UiPlacement = "above" | "below";

/** One question of `ui.ask`. */
export interface UiQuestion {
  /** Names it in the answer; no two have the same. */
  id: string;
  /** Whether several may be chosen, or none. */
  multi?: boolean | undefined;
  /** What can be chosen. Where there is nothing, a line is typed. */
  options?: readonly UiChoice[] | undefined;
  /** The question, in one line. */
  question: string;
  /** The value of the option that is offered first. */
  recommended?: string | null | undefined;
}

/** What `ui.select` is asked with. */
export interface UiSelect {
  /** The value of the option that is offered first. */
  initial?: string | null | undefined;
  /** Whether several may be chosen, or none. Then the answer is `values`. */
  multi?: boolean | undefined;
  /** What can be chosen, one option at least. */
  options: readonly UiChoice[];
  /** Milliseconds that the person has, more than 0. Unsaid there is no end. */
  timeout_ms?: number | null | undefined;
  /** The question, in one line. */
  title: string;
}

/** What a dialog is answered with. */
export type UiSelectAnswer = { value: string } | { values: readonly string[] } | { dismissed: UiDismissal };

/** What `ui.status` is asked with. */
export interface UiStatus {
  /** Which one of the extension's: the next text with this key takes its place. */
  key: string;
  /** What is shown, in one line; `null` for nothing any more. */
  text: string | null;
}

/** The answer to what is only shown: that it was taken. */
export type UiStatusAnswer = Record<string, never>;

/** What `ui.title` is asked with. */
export interface UiTitle {
  /** What the window is called, in one line; `null` for the host's own title. */
  title: string | null;
}

/** The answer to what is only shown: that it was taken. */
export type UiTitleAnswer = Record<string, never>;

/** What `ui.widget` is asked with. */
export interface UiWidget {
  /** Which one of the extension's: the next lines with this key take their place. */
  key: string;
  /** What is shown, ten lines at least; `null` for nothing any more. */
  lines: readonly string[] | null;
  /** On which side of what the person types; above it where that is unsaid. */
  placement?: UiPlacement | undefined;
  /** What is shown in place of the lines, where the host shows views. */
  view?: View | null | undefined;
}

/** The answer to what is only shown: that it was taken. */
export type UiWidgetAnswer = Record<string, never>;

/** What `ui.working` is asked with. */
export interface UiWorking {
  /** What is said while the agent works, in one line; `null` for the host's own text. */
  text: string | null;
}

/** The answer to what is only shown: that it was taken. */
export type UiWorkingAnswer = Record<string, never>;

/** What is shown, and how. */
export type View = { columns: readonly string[]; kind: "table"; rows: readonly (readonly ViewCell[])[]; title?: string | null | undefined } | { kind: "diff"; text: string; title?: string | null | undefined } | { kind: "markdown"; text: string; title?: string | null | undefined } | { kind: "lines"; lines: readonly ViewLine[]; title?: string | null | undefined } | { kind: "keyvalue"; pairs: readonly ViewPair[]; title?: string | null | undefined } | { kind: "meter"; max: number; title?: string | null | undefined; unit?: string | null | undefined; value: number };

/** A value in a table, or behind a name. */
export type ViewCell = string | number | boolean | { style?: readonly ViewStyle[] | undefined; text: string } | null;

/** A line: a piece of text, or several beside each other. */
export type ViewLine = string | { style?: readonly ViewStyle[] | undefined; text: string } | readonly ViewSpan[];

/** A name with its value. */
export interface ViewPair {
  /** The name. */
  key: string;
  /** Its value. */
  value: ViewCell;
}

/** A piece of text in one style. */
export type ViewSpan = string | { style?: readonly ViewStyle[] | undefined; text: string };

/** How text looks. What it is in colours is the host's. */
export type ViewStyle = "accent" | "success" | "error" | "warning" | "muted" | "dim" | "title" | "bold" | "italic" | "strike";

/** Each method that a host serves, with what it is asked with and what it answers. */
export interface Services {
  "ui.confirm": { params: UiConfirm; result: UiConfirmAnswer };
  "ui.select": { params: UiSelect; result: UiSelectAnswer };
  "ui.input": { params: UiInput; result: UiInputAnswer };
  "ui.editor": { params: UiEditor; result: UiEditorAnswer };
  "ui.ask": { params: UiAsk; result: UiAskAnswer };
  "ui.auth": { params: UiAuth; result: UiAuthAnswer };
  "ui.status": { params: UiStatus; result: UiStatusAnswer };
  "ui.title": { params: UiTitle; result: UiTitleAnswer };
  "ui.working": { params: UiWorking; result: UiWorkingAnswer };
  "ui.widget": { params: UiWidget; result: UiWidgetAnswer };
  "exec.run": { params: ExecRun; result: ExecRunAnswer };
  "secret.get": { params: SecretGet; result: SecretGetAnswer };
  "secret.exists": { params: SecretExists; result: SecretExistsAnswer };
  "env.get": { params: EnvGet; result: EnvGetAnswer };
  "state.get": { params: StateGet; result: StateGetAnswer };
  "state.set": { params: StateSet; result: StateSetAnswer };
  "state.delete": { params: StateDelete; result: StateDeleteAnswer };
  "state.list": { params: StateList; result: StateListAnswer };
  "session.info": { params: SessionInfo; result: SessionInfoAnswer };
  "session.append": { params: SessionAppend; result: SessionAppendAnswer };
  "session.branch": { params: SessionBranch; result: SessionBranchAnswer };
  "pending.push": { params: PendingPush; result: PendingPushAnswer };
  "agent.state": { params: AgentState; result: AgentStateAnswer };
  "agent.abort": { params: AgentAbort; result: AgentAbortAnswer };
  "tools.list": { params: ToolsList; result: ToolsListAnswer };
  "tools.activate": { params: ToolsActivate; result: ToolsActivateAnswer };
  "tools.deactivate": { params: ToolsDeactivate; result: ToolsDeactivateAnswer };
  "models.list": { params: ModelsList; result: ModelsListAnswer };
}
