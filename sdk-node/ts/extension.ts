/** An extension: what it offers, by its handlers. */

import { Context, type LogLevel, type NoteLevel } from "./context.js";
import { Caller, definitionError, type Entry } from "./definition.js";
import type { Host } from "./host.js";
import { encodeJson } from "./json.js";
import type { Decision, Event, Moment, Points, ToolUse } from "./moment.js";
import { native } from "./native.js";
import { copyOf, type Offer, type OfferedTool, type Required } from "./offer.js";
import { Panel, type PanelInput } from "./panel.js";
import type { AskOptions, RequestOptions } from "./questions.js";
import type { PanelContent, Response } from "./response.js";
import { run, type Main } from "./run.js";
import type { Schema } from "./schema/input.js";
import type { Serving } from "./serve.js";
import { used } from "./stdio.js";
import { prepareTool, type ToolHandler, type ToolOptions } from "./tool.js";
import type { ToolOutput } from "./tool-output.js";

/** What an event, an intercept, a guard or a command says beyond its handler. */
export interface RequiredOption {
  /** The extension ends where a host does not take it. */
  required?: boolean;
}

/** What a command says beyond its handler. */
export interface CommandOptions extends RequiredOption {
  /** How its arguments are written, for a person. */
  usage?: string;
}

/** What an interceptor or a guard says beyond its handler. */
export interface InterceptOptions extends RequiredOption {
  /**
   * What a failure of the handler means; `block` where it can be blocked. What is said last for a
   * point holds for all that the extension has there; guards stand at `tool_call`.
   */
  onFailure?: "allow" | "block";
}

type MaybePromise<Value> = Value | PromiseLike<Value>;
type Decided = MaybePromise<Decision | null | undefined | void>;
type Answered = MaybePromise<Response | string | null | undefined | void>;

/**
 * An extension of a coding agent, by its name and version.
 *
 * @example
 * ```ts
 * const ext = new Extension("hello", "1.0.0");
 * ext.tool("greet", { description: "Greets somebody." }, () => "Hello!");
 * await ext.run(import.meta);
 * ```
 */
export class Extension {
  readonly #offer: Offer;
  #where = new Map<string, Caller>();
  #serving: Serving | undefined;

  constructor(name: string, version = "0.0.0") {
    for (const [what, value] of [["name", name], ["version", version]] as const) {
      if (typeof value !== "string" || value === "") {
        throw definitionError("extension", `its ${what} is a string that is not empty`, Extension as never);
      }
    }
    used();
    this.#offer = {
      name,
      version,
      registrations: new native.Registrations(),
      tools: [],
      commands: new Map(),
      events: new Map(),
      interceptors: new Map(),
      guards: [],
      panels: new Map(),
      methods: new Map(),
      setups: [],
      teardowns: [],
      required: [],
    };
  }

  /** Its name. */
  get name(): string {
    return this.#offer.name;
  }

  /** Its version. */
  get version(): string {
    return this.#offer.version;
  }

  /** What it offers, for the driver of a host in the same process. @internal */
  get offer(): Offer {
    return this.#offer;
  }

  // What it offers.

  /** Offers a tool to the model. The arguments are typed by `input`, the result by `output`. */
  tool<const Input extends Schema | undefined = undefined, const Output extends Schema | undefined = undefined>(
    name: string,
    options: ToolOptions<Input, Output>,
    handler: ToolHandler<Input, Output, Context>,
  ): this {
    const entry = this.tool;
    this.#function(`tool ${name}`, handler, entry);
    const prepared = prepareTool(name, options as ToolOptions<Schema, Schema>, entry);
    const tool: OfferedTool = { ...prepared, name, handler: handler as OfferedTool["handler"] };
    const index = this.#offer.tools.length;
    const frame = encodeJson(prepared.frame);
    const registrar = this.#serving
      ? (this.#serving.session.registerTool.bind(this.#serving.session))
      : this.#offer.registrations.tool.bind(this.#offer.registrations);
    this.#add("tool", name, entry, () => {
      for (const problem of registrar(frame, index, prepared.checked)) {
        native.report(`the schema of the tool ${name}: ${problem}`);
      }
    });
    this.#offer.tools.push(tool);
    this.#require("tool", name, options.required);
    return this;
  }

  /** Takes a tool away while the extension runs, where the host re-reads its list. */
  removeTool(name: string): void {
    this.#running("removeTool").session.unregisterTool(name);
    this.#where.delete(`tool ${name}`);
  }

  /**
   * Offers a slash command. The handler is called with what the user typed behind the command; it
   * returns a `Response`, a string to show, or nothing.
   */
  command(
    name: string,
    description: string,
    handler: (args: string, ctx: Context) => Answered,
    options: CommandOptions = {},
  ): this {
    const entry = this.command;
    this.#function(`command ${name}`, handler, entry);
    const frame = encodeJson({ type: "register_command", name, description, usage: options.usage });
    this.#add("command", name, entry, () => {
      if (this.#serving) this.#serving.session.registerCommand(frame);
      else this.#offer.registrations.command(frame);
    });
    this.#offer.commands.set(name, handler);
    this.#require("command", name, options.required);
    return this;
  }

  // What it is told and asked.

  /** Is told of an event: `turn_end`, ... One handler runs at a time, in their order. Before `run()`, or in setup. */
  on(event: string, handler: (event: Event, ctx: Context) => unknown, options: RequiredOption = {}): this {
    this.#function(`event ${event}`, handler, this.on);
    this.#notReady(`event ${event}`, this.on);
    const handlers = this.#offer.events.get(event) ?? [];
    this.#offer.events.set(event, [...handlers, handler]);
    this.#subscribe("event", event);
    this.#require("event", event, options.required);
    return this;
  }

  /**
   * Is asked before something happens. The handler returns nothing, or what `block`, `rewrite`,
   * `replace` or `systemPrompt` of its argument make.
   */
  intercept<Point extends keyof Points>(
    point: Point,
    handler: (moment: Points[Point], ctx: Context) => Decided,
    options?: InterceptOptions,
  ): this;
  intercept(point: string, handler: (moment: Moment, ctx: Context) => Decided, options?: InterceptOptions): this;
  intercept(point: string, handler: (moment: never, ctx: Context) => Decided, options: InterceptOptions = {}): this {
    const entry = this.intercept;
    this.#function(`interceptor of ${point}`, handler, entry);
    this.#notReady(`interceptor of ${point}`, entry);
    checkMode(`interceptor of ${point}`, options, entry);
    const handlers = this.#offer.interceptors.get(point) ?? [];
    this.#offer.interceptors.set(point, [...handlers, handler as (moment: Moment, ctx: Context) => unknown]);
    this.#subscribe("interceptor", point);
    this.#onFailure(point, options);
    this.#require("intercept", point, options.required);
    return this;
  }

  /**
   * Sees every tool call with its final arguments, and may block it: the handler returns nothing, or
   * `call.block(reason)`. One that fails blocks, unless `onFailure` says otherwise.
   */
  guard(name: string, handler: (call: ToolUse, ctx: Context) => Decided, options?: InterceptOptions): this;
  guard(handler: (call: ToolUse, ctx: Context) => Decided, options?: InterceptOptions): this;
  guard(...given: unknown[]): this {
    const entry: Entry = this.guard;
    const [name, handler, said = {}] = typeof given[0] === "string" ? given : [nameOf(given[0]), ...given];
    const options = said as InterceptOptions;
    this.#function(`guard ${String(name)}`, handler, entry);
    this.#notReady(`guard ${String(name)}`, entry);
    checkMode(`guard ${String(name)}`, options, entry);
    this.#add("guard", String(name), entry, () => {});
    this.#offer.guards.push({ name: String(name), handler: handler as (moment: Moment, ctx: Context) => unknown });
    this.#subscribe("guard", "tool_call");
    this.#onFailure("tool_call", options);
    this.#require("guard", "tool_call", options.required);
    return this;
  }

  /** Is told what happens in a panel; `ctx.panel(id)` draws it anew. */
  panel(id: string, handler: (input: PanelInput, ctx: Context) => unknown): this {
    this.#function(`panel ${id}`, handler, this.panel);
    this.#add("panel", id, this.panel, () => {});
    this.#offer.panels.set(id, handler);
    return this;
  }

  /** Serves a method that the host may ask for. The handler gets the params, and returns a JSON value. */
  method(name: string, handler: (params: unknown, ctx: Context) => unknown): this {
    this.#function(`method ${name}`, handler, this.method);
    this.#notRunning(`method ${name}`, "methods are named before run()", this.method);
    this.#add("method", name, this.method, () => {});
    this.#offer.methods.set(name, handler);
    return this;
  }

  /**
   * Runs once the host has answered, and may register. What it registers may depend on `ctx.host`. A
   * host waits about three seconds for it.
   */
  setup(handler: (ctx: Context) => unknown): this {
    this.#function("setup", handler, this.setup);
    this.#notRunning("setup", "it is registered before run()", this.setup);
    this.#offer.setups.push(handler);
    return this;
  }

  /**
   * Runs at the end, once every call is answered. It must be done 1.25 s after the end began, a second
   * of which a call that is never answered may take.
   */
  teardown(handler: (ctx: Context) => unknown): this {
    this.#function("teardown", handler, this.teardown);
    this.#notRunning("teardown", "it is registered before run()", this.teardown);
    this.#offer.teardowns.push(handler);
    return this;
  }

  /** The extension ends where the host does not offer that capability: `tool_update`, ... */
  require(capability: string): this {
    this.#notRunning(`capability ${capability}`, "it is required before run()", this.require);
    this.#require("capability", capability, true);
    return this;
  }

  // What it says unasked.

  /** Shows the user a note. */
  notify(message: string, level: NoteLevel = "info"): void {
    this.#running("notify").session.notify(level, message);
  }

  /** Writes a line to the host's log, or to stderr where it keeps none; `fields` belong to the line. */
  log(message: string, level: LogLevel = "info", fields?: object): void {
    this.#running("log").session.log(level, message, fields && encodeJson(fields));
  }

  /** Queues a prompt for the model, or with a slash in front runs a command. */
  submit(text: string): void {
    this.#running("submit").session.submit(text);
  }

  /** Takes the extension's notes back. */
  clearNotes(): void {
    this.#running("clearNotes").session.clearNotes();
  }

  /** Opens a panel outside a command. */
  openPanel({ id, ...content }: PanelContent): void {
    new Panel(this.#running("openPanel").session, id).open(content);
  }

  /** Calls a tool through the host. In a handler `ctx.callTool` ends with the call. */
  callTool(name: string, args: object = {}, options: AskOptions = {}): Promise<ToolOutput> {
    return this.#running("callTool").questions.callTool(undefined, name, args, options);
  }

  /** Asks the host by method. In a handler `ctx.request` ends with the call. */
  request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
    return this.#running("request").questions.request(undefined, method, params, options);
  }

  /** The host, once it has answered. */
  get host(): Host {
    return this.#running("host").host;
  }

  // How it runs.

  /**
   * Serves until the host ends it. `await ext.run(import.meta)`, or `ext.run(module)` in CommonJS,
   * does nothing when another module imports this one, as a test does. Started by hand in a
   * terminal, it says what the program is and how to try it.
   */
  async run(main?: Main): Promise<void> {
    if (this.#serving) throw new Error("this extension runs already; one process is one extension");
    await run(this.#offer, main, (serving) => (this.#serving = serving));
  }

  /**
   * For a host in the same process, which begins to serve it: what is registered from now on is
   * forgotten by the function that this returns. @internal
   */
  lend(serving: Serving): () => void {
    if (this.#serving) throw new Error(`${this.name} runs already: end the other host first`);
    const [offered, where] = [copyOf(this.#offer), new Map(this.#where)];
    this.#serving = serving;
    return () => {
      Object.assign(this.#offer, offered);
      this.#where = where;
      this.#serving = undefined;
    };
  }

  #running(what: string): Serving {
    if (this.#serving) return this.#serving;
    throw new Error(`${what} needs a host, so the extension must run: call it in a handler`);
  }

  #function(what: string, handler: unknown, entry: Entry): void {
    if (typeof handler === "function") return;
    throw definitionError(what, "its handler is a function, and is missing or something else here", entry);
  }

  /** What a host is told once, at the start, is not lost in silence later. */
  #notReady(what: string, entry: Entry): void {
    if (!this.#serving?.isReady) return;
    const advice = "a host takes this before the extension is ready: register it before run(), or in setup";
    throw definitionError(what, advice, entry);
  }

  #notRunning(what: string, advice: string, entry: Entry): void {
    if (this.#serving) throw definitionError(what, advice, entry);
  }

  #subscribe(kind: "event" | "interceptor" | "guard", name: string): void {
    (this.#serving?.session ?? this.#offer.registrations).subscribe(kind, name);
  }

  #onFailure(point: string, { onFailure }: InterceptOptions): void {
    if (onFailure) (this.#serving?.session ?? this.#offer.registrations).onFailure(point, onFailure);
  }

  #require(kind: Required["kind"], name: string, required: boolean | undefined): void {
    if (required) this.#offer.required.push({ kind, name });
  }

  /** Registers, or says where the mistake is. */
  #add(kind: string, name: string, entry: Entry, add: () => void): void {
    const key = `${kind} ${kind === "command" ? name.toLowerCase() : name}`;
    const before = this.#where.get(key);
    if (before !== undefined) {
      const { place } = before;
      const where = place === undefined ? "another place" : `${place.file}:${place.line}`;
      throw definitionError(`${kind} ${name}`, `there is one of that name already, at ${where}; rename one`, entry);
    }
    try {
      add();
    } catch (error) {
      // The native half's own error says nothing more, and its stack would push this one out of what a host shows.
      throw definitionError(`${kind} ${name}`, (error as Error).message, entry);
    }
    this.#where.set(key, new Caller(entry));
  }
}

function checkMode(what: string, { onFailure }: InterceptOptions, entry: Entry): void {
  if (onFailure !== undefined && onFailure !== "allow" && onFailure !== "block") {
    throw definitionError(what, 'its onFailure is "allow" or "block"', entry);
  }
}

function nameOf(handler: unknown): string {
  return (typeof handler === "function" && handler.name) || "guard";
}
