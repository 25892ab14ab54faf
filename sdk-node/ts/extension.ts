/** An extension: what it offers, by its handlers. */

import type { StateMigrate } from "./services.js";
import type { StateOptions } from "./state.js";
import { prepareAdviser } from "./adviser.js";
import { ConfigSource, currentConfig, type ConfigObject, type ConfigOf } from "./config.js";
import { Context } from "./context.js";
import { Caller, definitionError, type Entry } from "./definition.js";
import type { Host } from "./host.js";
import { encodeJson } from "./json.js";
import { oneOf, sayType } from "./lossy.js";
import { EVENTS, type EventName, type Events, type ToolEventName } from "./events.js";
import { POINT_NAMES } from "./moment.js";
import type { BlockableMoment, Decision, Event, GuardedToolUse, Moment, Points, Unheard } from "./moment.js";
import { native, type Registrations, type Required } from "./native.js";
import { log, notify, submit, type LogLevel, type NoteLevel } from "./say.js";
import { copyOf, type Offer, type OfferedTool } from "./offer.js";
import { checkMode, toolsOf, type CommandOptions, type InterceptOptions, type RequiredOption, type ToolEventOptions, type UnlistedOption } from "./options.js";
import { Panel, type PanelInput } from "./panel.js";
import type { AskOptions, RequestOptions } from "./questions.js";
import type { PanelContent, Response } from "./response.js";
import { claimRun, keepMade, run, type Main } from "./run.js";
import type { OneSchema, Schema } from "./schema/input.js";
import type { StandardSchema } from "./schema/standard.js";
import type { Serving } from "./serve.js";
import { used } from "./stdio.js";
import { prepareTool, type ToolHandler, type ToolOptions } from "./tool.js";
import type { ToolOutput } from "./tool-output.js";

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
  /** run() has returned. */
  #hasRun = false;
  #isLent = false;
  /** Who started the host in the same process. */
  #starter: Caller | undefined;

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
      advisers: new Map(),
      config: new ConfigSource(),
      setups: [],
      teardowns: [],
    };
    keepMade(this.#offer, Extension as never);
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
    options: ToolOptions<Input, Output> & { input?: OneSchema<Input>; output?: OneSchema<Output> },
    handler: ToolHandler<Input, Output, Context>,
  ): this {
    const entry = this.tool;
    this.#named("tool", name, "(name, options, handler)", entry);
    this.#handler(`tool ${name}`, handler, "ext.tool(name, options, handler)", entry, options);
    const prepared = prepareTool(name, options as ToolOptions<Schema, Schema>, entry);
    const tool: OfferedTool = { ...prepared, name, handler: handler as OfferedTool["handler"] };
    const index = this.#offer.tools.length;
    const frame = encodeJson(prepared.frame);
    this.#add("tool", name, entry, () => {
      for (const problem of this.#registry.tool(frame, index, prepared.checked)) {
        native.report(`the schema of the tool ${name}: ${problem}`);
      }
    });
    this.#offer.tools.push(tool);
    const { gated } = options;
    if (typeof gated === "function") this.#offer.advisers.set(name, prepareAdviser(gated, prepared.accept, prepared.author));
    this.#require("tool", name, options.required);
    return this;
  }

  /** Takes a tool away while the extension runs, where the host re-reads its list. */
  removeTool(name: string): void {
    this.#running("removeTool").session.registrations.removeTool(name);
    this.#where.delete(`tool ${name}`);
  }

  /**
   * Offers a slash command. The handler gets the text that the user typed behind the command. It returns a `Response`,
   * a string to show, or nothing.
   */
  command(
    name: string,
    description: string,
    handler: (args: string, ctx: Context) => Answered,
    options: CommandOptions = {},
  ): this {
    const entry = this.command;
    this.#named("command", name, "(name, description, handler)", entry);
    this.#handler(`command ${name}`, handler, "ext.command(name, description, handler)", entry, description);
    if (typeof description !== "string") {
      throw definitionError(`command ${name}`, `its description is ${sayType(description)}, and must be a string`, entry);
    }
    const frame = encodeJson({ type: "register_command", name, description, usage: options.usage });
    this.#add("command", name, entry, () => this.#registry.command(frame));
    this.#offer.commands.set(name, { handler, author: new Caller(entry) });
    this.#require("command", name, options.required);
    return this;
  }

  // What it is told and asked.

  /**
   * Is told of an event: `turn_end`, ... The handler decides nothing, so it returns nothing. One handler runs at a time,
   * in their order. Handlers are registered before `run()`, or in setup.
   */
  on<Name extends EventName>(
    event: Name,
    handler: (event: Events[Name], ctx: Context) => Unheard,
    options?: Name extends ToolEventName ? ToolEventOptions : RequiredOption,
  ): this;
  on(
    event: string,
    handler: (event: Event, ctx: Context) => Unheard,
    options: RequiredOption & UnlistedOption,
  ): this;
  on(
    event: string,
    handler: (event: never, ctx: Context) => unknown,
    options: ToolEventOptions & Partial<UnlistedOption> = {},
  ): this {
    const entry: Entry = this.on;
    this.#listed("event", event, EVENTS, options, entry);
    this.#handler(`event ${event}`, handler, "ext.on(event, handler)", entry);
    this.#notReady(`event ${event}`, entry);
    const handlers = this.#offer.events.get(event) ?? [];
    const taken = handler as (event: Event, ctx: Context) => unknown;
    const tools = toolsOf(event, options, entry);
    this.#made(`event ${event}`, entry, () => this.#registry.event(event, tools));
    this.#offer.events.set(event, [...handlers, { handler: taken, author: new Caller(entry), tools }]);
    this.#require("event", event, options.required);
    return this;
  }

  /**
   * Is asked before something happens. The handler returns nothing, or a decision. `block`, `rewrite`, `replace` and
   * `systemPrompt` of its argument make decisions. What the handler returns decides. One that made a block and
   * returned nothing blocks; any other decision that was made, where nothing was returned, is an error.
   */
  intercept<Point extends keyof Points>(
    point: Point,
    handler: (moment: Points[Point], ctx: Context) => Decided,
    options?: InterceptOptions,
  ): this;
  intercept(
    point: string,
    handler: (moment: BlockableMoment, ctx: Context) => Decided,
    options: InterceptOptions & UnlistedOption,
  ): this;
  intercept(
    point: string,
    handler: (moment: never, ctx: Context) => Decided,
    options: InterceptOptions & Partial<UnlistedOption> = {},
  ): this {
    const entry: Entry = this.intercept;
    this.#listed("point", point, POINT_NAMES, options, entry);
    this.#handler(`interceptor of ${point}`, handler, "ext.intercept(point, handler)", entry);
    this.#notReady(`interceptor of ${point}`, entry);
    checkMode(`interceptor of ${point}`, options, entry);
    const handlers = this.#offer.interceptors.get(point) ?? [];
    const taken = handler as (moment: Moment, ctx: Context) => unknown;
    this.#offer.interceptors.set(point, [...handlers, { handler: taken, author: new Caller(entry) }]);
    this.#registry.decider(point);
    this.#onFailure(point, options);
    this.#require("intercept", point, options.required);
    return this;
  }

  /**
   * Sees every tool call with its final arguments, and may block it: the handler returns nothing,
   * `call.block(reason)`, or `call.ask(reason)`, which has a person decide. A handler that calls one of them and
   * returns nothing does the same. A handler that fails blocks, unless `onFailure` says otherwise.
   */
  guard(name: string, handler: (call: GuardedToolUse, ctx: Context) => Decided, options?: InterceptOptions): this;
  guard(handler: (call: GuardedToolUse, ctx: Context) => Decided, options?: InterceptOptions): this;
  guard(...given: unknown[]): this {
    const entry: Entry = this.guard;
    const [name, handler, said = {}] = typeof given[0] === "string" ? given : [nameOf(given[0]), ...given];
    const options = said as InterceptOptions;
    this.#handler(`guard ${String(name)}`, handler, "ext.guard(name, handler)", entry);
    this.#notReady(`guard ${String(name)}`, entry);
    checkMode(`guard ${String(name)}`, options, entry);
    this.#add("guard", String(name), entry, () => {});
    const taken = handler as (moment: Moment, ctx: Context) => unknown;
    this.#offer.guards.push({ name: String(name), handler: taken, author: new Caller(entry) });
    this.#registry.decider("tool_call", String(name));
    this.#onFailure("tool_call", options);
    this.#require("guard", "tool_call", options.required);
    return this;
  }

  /** Is told what happens in a panel; `ctx.panel(id)` draws it anew. */
  panel(id: string, handler: (input: PanelInput, ctx: Context) => unknown): this {
    this.#named("panel", id, "(id, handler)", this.panel);
    this.#handler(`panel ${id}`, handler, "ext.panel(id, handler)", this.panel);
    this.#add("panel", id, this.panel, () => {});
    this.#offer.panels.set(id, { handler, author: new Caller(this.panel) });
    return this;
  }

  /**
   * Serves a method that the host may ask for. The handler gets the params, and returns a JSON value. What
   * a generator yields are parts of the answer, which come before what it returns; `ctx.sendPart` sends
   * one from any handler.
   */
  method(name: string, handler: (params: unknown, ctx: Context) => unknown): this {
    this.#named("method", name, "(name, handler)", this.method);
    this.#handler(`method ${name}`, handler, "ext.method(name, handler)", this.method);
    this.#notRunning(`method ${name}`, "methods are named before run()", this.method);
    this.#add("method", name, this.method, () => {});
    this.#offer.methods.set(name, { handler, author: new Caller(this.method) });
    return this;
  }

  /**
   * Says which version the values of `ctx.state` have, 1 where nothing is said. Where the host keeps values of another
   * version, `migrate` is called with them before anything of that scope is read or set, and returns what stands in
   * their place: all are replaced, or none. Without it, or where it throws, what asks for such a value rejects with a
   * `ToolError` of kind `conflict`. More than a megabyte of values comes in several calls, each with some of the keys.
   */
  state(options: StateOptions): this {
    const { version, migrate } = options;
    if (!Number.isInteger(version) || version < 1) {
      throw new TypeError(`a version is a whole number from 1, and this is ${String(version)}`);
    }
    this.#notRunning("state", "it is said before run()", this.state);
    if (migrate !== undefined) {
      this.method("state.migrate", async (params) => {
        const { data, from } = params as StateMigrate;
        return { data: await migrate(data, from) };
      });
    }
    this.#offer.stateVersion = version;
    return this;
  }

  /**
   * Runs once the host has answered. It may register, and `ctx.host` tells it for which host. A host waits about three
   * seconds for it.
   */
  setup(handler: (ctx: Context) => unknown): this {
    this.#handler("setup", handler, "ext.setup(handler)", this.setup);
    this.#notRunning("setup", "it is registered before run()", this.setup);
    this.#offer.setups.push(handler);
    return this;
  }

  /**
   * Runs at the end, once every call is answered. It has until 1.25 s after the end began. Calls that are not answered
   * are waited for a second, so it has 0.25 s at least.
   */
  teardown(handler: (ctx: Context) => unknown): this {
    this.#handler("teardown", handler, "ext.teardown(handler)", this.teardown);
    this.#notRunning("teardown", "it is registered before run()", this.teardown);
    this.#offer.teardowns.push(handler);
    return this;
  }

  /**
   * Has the configuration made by a schema of zod or another library: `const settings = ext.config(z.object({ ... }))`.
   * What is returned has the members of the configuration as it is at the moment, in handlers and in setup. Without a
   * schema it is what the host gave. Where the host gives none, as a zot, the defaults of the schema hold. One that
   * does not fit ends the extension at its start; one that comes later is told in the log, and the one before goes on.
   * A secret is a reference, `{ $secret: "api_key" }`.
   */
  config<Given extends StandardSchema>(schema: Given): ConfigOf<Given>;
  config<Config extends object = ConfigObject>(): Readonly<Config>;
  config(schema?: unknown): object {
    this.#notRunning("the configuration", "it is described before run()", this.config);
    this.#offer.config.describe(schema, this.config);
    return currentConfig(this.#offer.config);
  }

  /** The extension ends where the host does not offer that capability: `tool_update`, ... */
  require(capability: string): this {
    this.#notRunning(`capability ${capability}`, "it is required before run()", this.require);
    this.#made("requirement", this.require, () => this.#require("capability", capability, true));
    return this;
  }

  // What it says unasked.

  /** Shows the user a note. */
  notify(message: string, level: NoteLevel = "info"): void {
    notify(this.#running("notify").session, message, level, this.notify);
  }

  /** Writes a line to the host's log, or to stderr where it keeps none; `fields` belong to the line. */
  log(message: string, level: LogLevel = "info", fields?: object): void {
    log(this.#running("log").session, message, level, fields, this.log);
  }

  /** Queues a prompt for the model, or with a slash in front runs a command. */
  submit(text: string): void {
    submit(this.#running("submit").session, text, this.submit);
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
   * Serves until the host ends it. Write `await ext.run(import.meta)`, or `ext.run(module)` in CommonJS: it then does
   * nothing when another module imports this one, as a test does. Started by hand in a terminal, it says what the
   * program is and how to try it. It is the last line of a program: nothing can be registered behind it.
   */
  async run(main?: Main): Promise<void> {
    const isProgram = claimRun(this.#offer, main, this.run);
    if (isProgram) await run(this.#offer, (serving) => (this.#serving = serving));
    this.#hasRun = true;
  }

  /**
   * For a host in the same process, which begins to serve it: what is registered from now on is
   * forgotten by the function that this returns. @internal
   */
  lend(serving: Serving, starter: Caller): () => void {
    if (this.#serving) {
      const place = this.#starter?.place;
      const where = place === undefined ? "" : ` that was started at ${place.file}:${place.line}`;
      throw new Error(`${this.name} runs already: close the host${where} first`);
    }
    this.#starter = starter;
    const [offered, where] = [copyOf(this.#offer), new Map(this.#where)];
    this.#serving = serving;
    this.#isLent = true;
    return () => {
      this.#isLent = false;
      Object.assign(this.#offer, offered);
      this.#where = where;
      this.#serving = undefined;
    };
  }

  #running(what: string): Serving {
    if (this.#serving?.hasEnded) throw new Error(`${what} needs a host, and the host has ended the extension`);
    if (this.#serving) return this.#serving;
    throw new Error(`${what} needs a host, so the extension must run: call it in a handler`);
  }

  /** A name stands first, as a string; then what is registered can be told by it. */
  #named(kind: string, name: unknown, order: string, entry: Entry): void {
    this.#notEnded(typeof name === "string" ? `${kind} ${name}` : kind, entry);
    if (typeof name === "string" && name !== "") return;
    const said = name === "" ? "empty" : sayType(name);
    throw definitionError(kind, `its name is ${said}, and must be a string: ext.${kind}${order}`, entry);
  }

  /** The name of an event or a point is one of a list, unless its author says that it is meant. */
  #listed(
    kind: string,
    name: unknown,
    names: readonly string[],
    { unlisted }: Partial<UnlistedOption>,
    entry: Entry,
  ): void {
    this.#notEnded(`${kind} ${String(name)}`, entry);
    if (typeof name === "string" && (unlisted === true || names.includes(name))) return;
    if (typeof name !== "string") {
      throw definitionError(kind, `there is no ${kind} that is ${sayType(name)}: it is ${oneOf(names)}`, entry);
    }
    const meant = "{ unlisted: true } as the last argument says that it is meant";
    throw definitionError(kind, `there is no ${kind} ${JSON.stringify(name)}: it is ${oneOf(names)}; ${meant}`, entry);
  }

  /** `given` stands where authors of other kits put the handler. */
  #handler(what: string, handler: unknown, order: string, entry: Entry, given?: unknown): void {
    if (typeof handler === "function") return;
    const options = Object.entries(typeof given === "object" && given !== null ? given : {});
    const [inside] = options.find(([name, value]) => typeof value === "function" && HANDLERS.includes(name)) ?? [];
    const where = inside === undefined ? "" : `; it stands in the options as ${inside}`;
    const said = handler === undefined ? "is missing" : `is ${sayType(handler)}, and must be a function`;
    throw definitionError(what, `its handler ${said}${where}: ${order}`, entry);
  }

  /** What comes behind `await ext.run(...)` comes when the host has gone. */
  #notEnded(what: string, entry: Entry): void {
    if (!this.#hasRun || this.#isLent) return;
    const advice = "it is registered after run(), which returns when the extension has ended: register it before run()";
    throw definitionError(what, advice, entry);
  }

  /** What a host is told once, at the start, is not lost in silence later. */
  #notReady(what: string, entry: Entry): void {
    this.#notEnded(what, entry);
    if (!this.#serving?.isReady) return;
    const advice = "a host takes this before the extension is ready: register it before run(), or in setup";
    throw definitionError(what, advice, entry);
  }

  #notRunning(what: string, advice: string, entry: Entry): void {
    this.#notEnded(what, entry);
    if (this.#serving) throw definitionError(what, advice, entry);
  }

  /** Where it is registered before the host is ready for it. */
  get #registry(): Registrations {
    return this.#serving?.session.registrations ?? this.#offer.registrations;
  }

  #onFailure(point: string, { onFailure }: InterceptOptions): void {
    if (onFailure) this.#registry.onFailure(point, onFailure);
  }

  #require(kind: Required, name: string, required: boolean | undefined): void {
    if (required) this.#registry.require(kind, name);
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
    this.#made(`${kind} ${name}`, entry, add);
    this.#where.set(key, new Caller(entry));
  }

  /** Tells the native half, or says where the mistake is. */
  #made(what: string, entry: Entry, make: () => void): void {
    try {
      make();
    } catch (error) {
      // The native half's own error says nothing more, and its stack would push this one out of what a host shows.
      throw definitionError(what, (error as Error).message, entry);
    }
  }
}

/** What other kits call the handler that stands in their options. */
const HANDLERS = ["handler", "execute", "run", "call", "callback"];

function nameOf(handler: unknown): string {
  return (typeof handler === "function" && handler.name) || "guard";
}
