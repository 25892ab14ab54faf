/** What a handler is given about its call. */

import type { ConfigObject } from "./config.js";
import type { Entry } from "./definition.js";
import { ToolError } from "./errors.js";
import type { Host } from "./host.js";
import { RawJson } from "./json.js";
import { Panel } from "./panel.js";
import type { AskOptions, RequestOptions } from "./questions.js";
import { encodeUpdate, type Update } from "./result.js";
import { log, notify, submit, type LogLevel, type NoteLevel } from "./say.js";
import type { Serving } from "./serve.js";
import type { ToolOutput } from "./tool-output.js";
import { run, type ExecOptions, type Ran } from "./exec.js";
import { Agent } from "./agent.js";
import { Pending } from "./pending.js";
import { History, State } from "./state.js";
import { Ui } from "./ui.js";
import { Secret, valueOf, type SecretOptions } from "./secret.js";

/** The conversation that a call belongs to. */
export interface SessionInfo {
  /** Its id. */
  readonly id: string;
  /** How often it was replaced by another under the same id. */
  readonly generation?: number;
}

/** How {@link Context.track} shows a loop. */
export interface TrackOptions {
  /** What is going on. */
  message?: string;
  /** What is counted, as `files`. */
  unit?: string;
  /** How many there are; the length of an array, the size of a Set or Map need not be said. */
  total?: number;
}

/** The call that a handler serves, its host, and what can be said meanwhile. */
export class Context {
  /** @internal */
  readonly serving: Serving;
  /** @internal */
  readonly serial: number;
  readonly #args: string | undefined;
  readonly #session: string | undefined;
  readonly #deadline: number | undefined;
  #id: string | undefined;
  #isCancelled: boolean;
  #isOver = false;
  #controller: AbortController | undefined;

  /** @internal */
  constructor(
    serving: Serving,
    serial = 0,
    args?: string,
    session?: string,
    deadline?: number,
    isCancelled = false,
  ) {
    this.serving = serving;
    this.serial = serial;
    this.#args = args;
    this.#session = session;
    this.#deadline = deadline === undefined ? undefined : Date.now() + deadline;
    this.#isCancelled = isCancelled;
  }

  /** The id of the call; empty for what has none: an event, a panel's input, setup, teardown. */
  get callId(): string {
    return (this.#id ??= this.serial === 0 ? "" : this.serving.session.callId(this.serial));
  }

  /** The arguments of a tool's call as they were written; undefined elsewhere. */
  get rawArgs(): RawJson | undefined {
    return this.#args === undefined ? undefined : new RawJson(this.#args);
  }

  /**
   * When the host stops waiting; undefined where it does not say. It moves while a person is asked on
   * behalf of the call, so read it again afterwards.
   */
  get deadline(): Date | undefined {
    if (this.#deadline === undefined) return undefined;
    const left = this.serial === 0 ? -1 : this.serving.session.left(this.serial);
    return new Date(left < 0 ? this.#deadline : Date.now() + left);
  }

  /**
   * Names what a tool's call does, where the agent would make it again after a crash: then with the same
   * key. Undefined elsewhere.
   */
  get operationKey(): string | undefined {
    return this.serial === 0 ? undefined : (this.serving.session.operationKey(this.serial) ?? undefined);
  }

  /**
   * Whether the agent only asks what became of the call of that key, of a tool with
   * `replay: "reconcile"`: do nothing, and return `{ state: "completed" }`, `"not_started"` or `"unknown"`.
   */
  get reconcile(): boolean {
    return this.serial !== 0 && this.serving.session.reconciles(this.serial);
  }

  /** The conversation; undefined where the host does not say. */
  get session(): SessionInfo | undefined {
    return this.#session === undefined ? undefined : (JSON.parse(this.#session) as SessionInfo);
  }

  /** The host: `name`, `version`, `provider`, `model`, `cwd`, `supports(capability)`. */
  get host(): Host {
    return this.serving.host;
  }

  /** The configuration as it is now: what the schema of `ext.config` makes of it, else the object that the host gave. */
  get config(): ConfigObject {
    return this.serving.config as ConfigObject;
  }

  /** Asks the person in front of the agent: `confirm`, `select`, `input`. */
  get ui(): Ui {
    return new Ui(this);
  }

  /**
   * Has the host run a program, without a shell: `await ctx.exec("git", ["ls-files"])`. The person in front of the agent
   * is asked first, unless they allow it; the program ends with the handler's call.
   *
   * Rejects with a `ToolError`: `permission` where it may not run, `not_found` where the program or its folder is not
   * there, `unsupported` where the host runs no programs, which `ctx.host.serves("exec.run")` tells before.
   */
  async exec(command: string, args: readonly string[] = [], options: ExecOptions = {}): Promise<Ran> {
    return run(this, command, args, options);
  }

  /** What the extension keeps with its host: `session`, `project` and `global`. */
  get state(): State {
    return new State(this);
  }

  /** The agent: how it stands, its tools and models. */
  get agent(): Agent {
    return new Agent(this);
  }

  /** Proposes what is done only when the model, or a person, says so: `push`. */
  get pending(): Pending {
    return new Pending(this, this.serving.actions);
  }

  /** The history of the conversation: `append`, `branch`, `info`. */
  get history(): History {
    return new History(this);
  }

  /** Where the extension is; undefined where the host does not say. */
  get extensionDir(): string | undefined {
    return this.host.extensionDir;
  }

  /** Where the extension may keep data; undefined where the host does not say. */
  get dataDir(): string | undefined {
    return this.host.dataDir;
  }

  /** Whether the host no longer wants the answer. A loop that computes without awaiting sees it too. */
  get cancelled(): boolean {
    return this.#isCancelled || (this.serial !== 0 && this.serving.session.isCancelled(this.serial));
  }

  /** @internal */
  get isCancelled(): boolean {
    return this.cancelled;
  }

  /** Throws when the host no longer wants the answer; let it pass: it becomes the answer. */
  throwIfCancelled(): void {
    if (this.cancelled) throw ToolError.cancelled();
  }

  /** Is aborted when the host no longer wants the answer. What it throws in Node becomes the answer. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.cancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** @internal */
  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }

  /**
   * Shows how the call stands; each replaces the one before. Never waits and never fails: of several
   * within 50 ms the last is sent, and none where the host does not know updates.
   */
  update(message: string, more?: Omit<Update, "message">): void;
  update(update: Update): void;
  update(update: string | Update, more?: Omit<Update, "message">): void {
    if (this.serial === 0) return;
    this.#ofCall("ctx.update", "", this.update);
    const whole = typeof update === "string" && more !== undefined ? { ...more, message: update } : update;
    this.serving.session.update(this.serial, encodeUpdate(whole));
  }

  /**
   * Goes through a loop and shows how far it is; ends with an error when the call is cancelled, which
   * becomes the answer.
   *
   * @example
   * ```ts
   * for await (const file of ctx.track(files, { message: "reading", unit: "files" })) await read(file);
   * ```
   */
  async *track<Item>(
    items: Iterable<Item> | AsyncIterable<Item>,
    options: TrackOptions = {},
  ): AsyncGenerator<Item, void, undefined> {
    const { message, unit, total = sizeOf(items) } = options;
    let done = 0;
    for await (const item of items) {
      this.throwIfCancelled();
      this.update({ message, unit, total, done });
      yield item;
      done += 1;
    }
    this.update({ message, unit, total, done });
  }

  /** Writes a line to the host's log, or to stderr where it keeps none; `fields` belong to the line. */
  log(message: string, level: LogLevel = "info", fields?: object): void {
    log(this.#open("ctx.log", this.log).session, message, level, fields, this.log);
  }

  /** Shows the user a note. */
  notify(message: string, level: NoteLevel = "info"): void {
    notify(this.#open("ctx.notify", this.notify).session, message, level, this.notify);
  }

  /** Queues a prompt for the model, or with a slash in front runs a command. */
  submit(text: string): void {
    submit(this.#open("ctx.submit", this.submit).session, text, this.submit);
  }

  /**
   * Calls another tool through the host, its guards and approvals. Rejects with a `ToolError` when
   * it fails.
   */
  async callTool(name: string, args: object = {}, options: AskOptions = {}): Promise<ToolOutput> {
    this.#ofCall("ctx.callTool", "; ext.callTool belongs to no call", this.callTool);
    return this.serving.questions.callTool(this, name, args, options);
  }

  /** Asks the host for something by method. Rejects with a `ToolError` when it fails. */
  async request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
    this.#ofCall("ctx.request", "; ext.request belongs to no call", this.request);
    return this.serving.questions.request(this, method, params, options);
  }

  /**
   * A key or a token that `permissions.secrets` of the extension's `extension.json` declares. Under a host that keeps
   * no secrets it is the environment variable of that name. Rejects with a `ToolError` of kind `not_found` where it is
   * not set, with a text that says what sets it, and `permission` where it is not declared.
   *
   * @example
   * ```ts
   * const key = await ctx.secret("OPENWEATHER_KEY");
   * await fetch(url, { headers: { authorization: `Bearer ${key.reveal()}` } });
   * ```
   */
  async secret(name: string, options: SecretOptions = {}): Promise<Secret> {
    return new Secret(await valueOf(this, "secret.get", name, options));
  }

  /**
   * An environment variable that `permissions.env` of the extension's `extension.json` declares, as it is where the
   * agent was started. Else as {@link Context.secret}.
   */
  async env(name: string): Promise<string> {
    return valueOf(this, "env.get", name);
  }

  /**
   * Sends a part of a method's answer before the answer: any JSON value. Resolves once it may be
   * followed by another, which the host may be slow to read. Rejects with a `ToolError` of the kind
   * `unsupported` elsewhere than in a method. What a method's generator yields is sent so.
   */
  async sendPart(part: unknown): Promise<void> {
    this.#ofCall("ctx.sendPart", "", this.sendPart);
    return this.serving.questions.sendPart(this, part);
  }

  /** A panel of the extension by its id: `open`, `render`, `close`, `isOpen`. */
  panel(id: string): Panel {
    return new Panel(this.#open("ctx.panel", this.panel).session, id);
  }

  /** The handler has ended. @internal */
  over(): void {
    this.#isOver = true;
  }

  /** Refuses what belongs to the call, once its handler has ended. */
  #ofCall(what: string, advice: string, entry: Entry): void {
    if (!this.#isOver) return;
    throw late(`${what} belongs to a call, and its handler has ended: is an \`await\` missing?${advice}`, entry);
  }

  /** Refuses what belongs to the host, once it has ended the extension. */
  #open(what: string, entry: Entry): Serving {
    if (this.serving.hasEnded) throw late(`${what} needs a host, and the host has ended the extension`, entry);
    return this.serving;
  }
}

/** An error whose stack begins at the line that called `entry`. */
function late(text: string, entry: Entry): Error {
  const error = new Error(text);
  Error.captureStackTrace(error, entry);
  return error;
}

function sizeOf(items: unknown): number | undefined {
  const { length, size } = items as { length?: unknown; size?: unknown };
  if (typeof length === "number") return length;
  return typeof size === "number" ? size : undefined;
}
