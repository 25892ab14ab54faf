/** The testing host as a test uses it. */

import type { Extension } from "../extension.js";
import { Caller, encodeJson, POINT_NAMES } from "../inside.js";
import type { EventName, EventPayload, Events } from "../moment.js";
import {
  Answer,
  CommandAnswer,
  MethodAnswer,
  Ruling,
  type CommandFrame,
  type DecisionFrame,
  type ResultFrame,
  type UpdateFrame,
} from "./answers.js";
import { Conversation } from "./conversation.js";
import { addStory, Failure, Misuse, Unusable } from "./failure.js";
import { native, type HostSession } from "./native.js";
import { ackOf, wireOf, type HostOptions } from "./options.js";
import type { LogLine, Note, Registered, ShownPanel, Subscription } from "./seen.js";
import type { Transcript } from "./transcript.js";

/** Milliseconds. Long enough for any handler that is going to finish, also on a busy machine. */
const DEADLINE = 5_000;
/** What a real host grants, as docs/protocol/specification.md has it. */
const READY = { milliseconds: 3_000, because: "and no host waits longer for it: let what takes long run on behind setup" };
const END = { milliseconds: 1_500, because: "and no host waits longer: it kills the process. Let teardown do less" };

/** A call that runs, made by `host.begin`. */
export class Call {
  /** The tool that was called. */
  readonly tool: string;
  /** @internal */
  readonly serial: number;
  /** The schema of its structured result, where the tool has one. @internal */
  readonly output: unknown;
  /** @internal */
  shown = 0;

  /** @internal */
  constructor(tool: string, serial: number, output?: unknown) {
    this.tool = tool;
    this.serial = serial;
    this.output = output;
  }
}

/** A moment, with the names of JavaScript; `tool` and `args` stand for `toolName` and `toolArgs`. */
export interface MomentPayload extends EventPayload {
  readonly tool?: string;
  readonly args?: object;
  readonly systemPrompt?: string;
  readonly [name: string]: unknown;
}

/**
 * Serves an extension in this process, and talks to it as a host does.
 *
 * @example
 * ```ts
 * await using host = await Host.start(ext);
 * assert.equal((await host.call("weather", { city: "Berlin" })).text, "Berlin: 16°C, fog");
 * ```
 */
export class Host {
  readonly #talk: Conversation;
  readonly #session: HostSession;
  readonly #model: { provider: string; model: string };
  #proposals = 0;
  #hasLeft = false;

  private constructor(extension: Extension, options: HostOptions, starter: Caller) {
    const { provider = "testing", model = "testing", tools = {}, methods = {}, reject = [] } = options;
    this.#model = { provider, model };
    try {
      this.#session = new native.HostSession(encodeJson(ackOf(options)), options.profile ?? "spec");
    } catch (error) {
      throw new Misuse((error as Error).message);
    }
    const deadline = Math.max(options.deadlineMs ?? DEADLINE, DEADLINE);
    this.#talk = new Conversation(extension, this.#session, { tools, methods }, reject, deadline, starter);
  }

  // Beginning and end.

  /** Starts the extension and waits until it is ready. */
  static async start(extension: Extension, options: HostOptions = {}): Promise<Host> {
    return Host.startFor(new Caller(Host.start), extension, options);
  }

  /** The same, for the caller of another function. @internal */
  static async startFor(starter: Caller, extension: Extension, options: HostOptions): Promise<Host> {
    const host = new Host(extension, options, starter);
    const talk = host.#talk;
    const what = "the extension did not become ready";
    try {
      await talk.waitFor(what, () => talk.seen.isReady || undefined, undefined, READY);
      await talk.settle(what);
    } catch (failure) {
      await host.#leave();
      talk.addCause(failure);
      throw failure;
    }
    talk.deadline = options.deadlineMs ?? DEADLINE;
    return host;
  }

  /**
   * Starts a host, runs a test with it, and ends it. Where the test fails, the last frames stand in
   * its error.
   */
  static async with<Result>(
    extension: Extension,
    test: (host: Host) => Result | Promise<Result>,
    options: HostOptions = {},
  ): Promise<Result> {
    const host = await Host.startFor(new Caller(Host.with), extension, options);
    let result: Result;
    try {
      result = await test(host);
    } catch (thrown) {
      addStory(thrown, host.transcript.tail());
      await host.#leave();
      throw thrown;
    }
    await host.close();
    return result;
  }

  /** Ends the extension as a host does; its exit code. */
  async shutdown(): Promise<number> {
    const talk = this.#talk;
    if (talk.ended === undefined) talk.shutdown();
    await talk.waitFor("the extension did not end", () => talk.ended, undefined, END);
    const { exitCode } = talk.guest;
    if (exitCode === undefined) throw talk.hasEnded("the extension did not end in the ordinary way");
    return exitCode;
  }

  /**
   * Ends the extension if it has not ended, whatever state it is in. Rejects where it took longer than a host waits,
   * and where a handler failed and no step has told of it, as teardown.
   */
  async close(): Promise<void> {
    const failure = await this.#leave();
    if (failure !== undefined) throw failure;
    this.#talk.tellFailures();
  }

  /** Ends the extension, and gives back why it did not end in time. */
  async #leave(): Promise<Failure | undefined> {
    if (this.#hasLeft) return undefined;
    this.#hasLeft = true;
    const talk = this.#talk;
    try {
      if (talk.ended !== undefined) return undefined;
      talk.deadline = Math.max(talk.deadline, END.milliseconds);
      talk.forgetStandIns();
      await this.shutdown();
      return undefined;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      return failure;
    } finally {
      talk.guest.leave();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Milliseconds that each step may take. */
  get deadlineMs(): number {
    return this.#talk.deadline;
  }

  set deadlineMs(milliseconds: number) {
    this.#talk.deadline = milliseconds;
  }

  // Tools.

  /** Calls a tool and waits for its answer: `host.call("weather", { city: "Berlin" })`. */
  async call(tool: string, args: object = {}): Promise<Answer> {
    return this.finish(await this.#begin(tool, args));
  }

  /** Calls a tool; `finish` waits for its answer. */
  async begin(tool: string, args: object = {}): Promise<Call> {
    const call = await this.#begin(tool, args);
    // Else a cancel, or the end, could come before its handler.
    await this.#talk.waitUntilBegun(`the tool ${tool} did not begin`);
    return call;
  }

  /** Waits for the next update of a call. */
  async nextUpdate(call: Call): Promise<UpdateFrame> {
    const talk = this.#talk;
    const update = await talk.waitFor(`the tool ${call.tool} did not send an update`, () => {
      const next = (talk.updates.get(call.serial) as UpdateFrame[] | undefined)?.[call.shown];
      if (next === undefined && talk.hasOutcome(call.serial)) {
        throw new Misuse(`the tool ${call.tool} has answered without a further update`);
      }
      return next;
    });
    call.shown += 1;
    return update;
  }

  /** Tells the extension that the answer is not wanted any more; it answers all the same. */
  async cancel(call: Call): Promise<void> {
    if (!this.#session.cancels) throw new Misuse("a host like this never cancels a call");
    this.#session.cancel(call.serial, "user");
    await this.#talk.waitUntilBegun(`the tool ${call.tool} was not cancelled`);
  }

  /** Waits for the answer to a call. */
  async finish(call: Call): Promise<Answer> {
    const frame = await this.#answer(call.serial, `the tool ${call.tool} did not answer`);
    const updates = this.#talk.updates.get(call.serial) ?? [];
    this.#talk.updates.delete(call.serial);
    this.#checkOutput(call, frame as ResultFrame);
    return new Answer(frame as ResultFrame, updates);
  }

  /** A real host holds the structured result to the schema that the tool declared. */
  #checkOutput(call: Call, { structured_content: value, is_error: isError }: ResultFrame): void {
    if (call.output === undefined || isError) return;
    const problem =
      value === undefined
        ? "there is none, and the tool has an output"
        : native.HostSession.outputProblem(encodeJson(call.output), encodeJson(value));
    if (problem === null) return;
    throw new Unusable(`the structured result of the tool ${call.tool} does not match its output: ${problem}\n${this.transcript.tail()}`);
  }

  /** The tools that the extension offers, as it registered them. */
  get tools(): readonly Registered[] {
    return [...this.#talk.seen.tools.values()];
  }

  // Commands, events, moments, methods.

  /** Runs a command with what a user typed behind it. */
  async command(name: string, args = ""): Promise<CommandAnswer> {
    await this.#offers("command", name, this.#talk.seen.commands);
    const serial = this.#sent(`the command ${name} was not run`, () => this.#session.invokeCommand(name, args));
    const frame = (await this.#answer(serial, `the command ${name} did not answer`)) as CommandFrame;
    if (frame.open_panel) this.#talk.seen.openPanel(frame.open_panel);
    return new CommandAnswer(frame);
  }

  /** The commands that the extension offers, as it registered them. */
  get commands(): readonly Registered[] {
    return [...this.#talk.seen.commands.values()];
  }

  /** Tells of an event, and waits until its handlers have ended. */
  async event<Name extends EventName>(name: Name, payload?: Omit<Events[Name], "event">): Promise<void>;
  async event(name: string, payload?: EventPayload & { readonly [name: string]: unknown }): Promise<void>;
  async event(name: string, payload: object = {}): Promise<void> {
    const listensTo = this.subscription.events ?? [];
    if (!listensTo.includes(name)) {
      const told = listensTo.join(", ") || "nothing";
      throw new Misuse(`the extension does not listen to ${name}: it listens to ${told}`);
    }
    if (!this.#session.hasEvent(name)) throw new Misuse(`a host like this has no event ${name}`);
    this.#tell({ type: "event", event: name, ...wireOf(payload) });
    await this.#talk.settle(`the handlers of the event ${name} did not end`);
  }

  /** What the extension listens to. */
  get subscription(): Subscription {
    return this.#talk.seen.subscription;
  }

  /**
   * Asks interceptors and then guards about what is about to happen:
   * `host.intercept("tool_call", { tool: "bash", args: { command: "ls" } })`.
   */
  async intercept(point: string, payload: MomentPayload = {}): Promise<Ruling> {
    const { intercept = [], guards = [] } = this.subscription;
    if (![...POINT_NAMES, ...intercept, ...guards].includes(point)) {
      throw new Misuse(`there is no point ${point}: there are ${POINT_NAMES.join(", ")}`);
    }
    const moment = wireOf(payload);
    if (point === "tool_call") moment["tool_id"] ??= `proposal-${++this.#proposals}`;
    if (point === "before_agent_start") Object.assign(moment, this.#model);
    const ruling = new Ruling();
    for (const phase of this.#phases(point)) {
      const asked = { type: "event_intercept", id: "0", event: point, ...phase, ...moment };
      const what = `the extension was not asked at ${point}`;
      const serial = this.#sent(what, () => this.#session.intercept(encodeJson(asked)));
      const answer = (await this.#answer(serial, `the extension did not answer at ${point}`)) as DecisionFrame;
      moment["tool_args"] = answer.modified_args ?? moment["tool_args"];
      ruling.take(answer);
      if (ruling.blocked !== undefined) break;
    }
    return ruling;
  }

  /** A host asks interceptors first and guards last; a zot asks once. */
  #phases(point: string): readonly { phase?: string }[] {
    if (!this.#session.hasPoint(point)) return [];
    const intercepts = this.subscription.intercept?.includes(point) ?? false;
    const guards = this.subscription.guards?.includes(point) ?? false;
    if (!this.#session.asksInPhases) return intercepts ? [{}] : [];
    return [...(intercepts ? [{ phase: "intercept" }] : []), ...(guards ? [{ phase: "guard" }] : [])];
  }

  /** Asks the extension by method. */
  async request(method: string, params?: unknown): Promise<MethodAnswer> {
    const text = params === undefined ? undefined : encodeJson(params);
    const serial = this.#sent(`the method ${method} was not asked for`, () => this.#session.request(method, text));
    const talk = this.#talk;
    const { name, said } = await talk.waitFor(`the method ${method} did not answer`, () => talk.takeOutcome(serial));
    const parts = talk.parts.get(serial) ?? [];
    talk.parts.delete(serial);
    if (name === "response") return new MethodAnswer(parts, said);
    return new MethodAnswer(parts, undefined, said as { code: string; message: string });
  }

  // Panels.

  /** A panel as it is shown; undefined when it is not open. */
  panel(id: string): ShownPanel | undefined {
    return this.#talk.seen.panels.get(id);
  }

  /** The panels that are open, the newest last. */
  get panels(): readonly ShownPanel[] {
    return [...this.#talk.seen.panels.values()];
  }

  /** Presses a key: its name (`up`, `enter`), or one character. */
  async key(panel: string, key: string): Promise<void> {
    const pressed = [...key].length === 1 ? { key: "rune", text: key } : { key };
    await this.#inPanel(panel, { type: "panel_key", ...pressed });
  }

  /** Gives it another size, in columns and lines. */
  async resizePanel(panel: string, width: number, height: number): Promise<void> {
    await this.#inPanel(panel, { type: "panel_resize", width, height });
  }

  /** Closes it, as a user does. */
  async closePanel(panel: string): Promise<void> {
    await this.#inPanel(panel, { type: "panel_close" });
    this.#talk.seen.take("panel_close", panel);
  }

  async #inPanel(id: string, frame: { type: string; [name: string]: unknown }): Promise<void> {
    if (this.panel(id) === undefined) throw new Misuse(`no panel ${id} is open`);
    this.#tell({ ...frame, panel_id: id });
    await this.#talk.settle(`the panel ${id} did not handle its input`);
  }

  // What it said unasked.

  /** The notes that the user sees. */
  get notes(): readonly Note[] {
    return this.#talk.seen.notes;
  }

  /** What was logged. */
  get logs(): readonly LogLine[] {
    return this.#talk.seen.logs;
  }

  /** The prompts that were queued. */
  get submitted(): readonly string[] {
    return this.#talk.seen.submitted;
  }

  /** What the host would complain about. */
  get notices(): readonly string[] {
    return this.#talk.seen.notices;
  }

  /** Every frame, both ways. */
  get transcript(): Transcript {
    return this.#talk.transcript;
  }

  /** Waits until the extension has handled every event and every panel's input. */
  async settle(): Promise<void> {
    await this.#talk.settle("the extension did not come to rest");
  }

  /** Waits until something has come: `host.waitUntil("a note", () => host.notes.length > 0)`. */
  async waitUntil(what: string, holds: () => unknown): Promise<void> {
    await this.#talk.waitFor(`${what} did not come`, () => Boolean(holds()) || undefined);
  }

  /** For cases. @internal */
  get talk(): Conversation {
    return this.#talk;
  }

  // How.

  async #begin(tool: string, args: object): Promise<Call> {
    const what = `the tool ${tool} was not called`;
    const offered = await this.#offers("tool", tool, this.#talk.seen.tools);
    const timeout = offered?.["timeout_ms"] as number | undefined;
    const send = () => this.#session.callTool(tool, encodeJson(args), timeout);
    return new Call(tool, this.#sent(what, send), offered?.["output_schema"]);
  }

  /** The registration of that name. A host asks for nothing that it does not have. */
  async #offers(kind: "tool" | "command", name: string, offered: ReadonlyMap<string, Registered>): Promise<Registered | undefined> {
    // It may just be registering it.
    if (!offered.has(name) && this.#talk.ended === undefined) await this.#talk.waitUntilBegun(`the ${kind} ${name} was not offered`);
    const folded = kind === "command" ? name.toLowerCase() : name;
    const found = offered.get(name) ?? [...offered].find(([one]) => kind === "command" && one.toLowerCase() === folded)?.[1];
    if (found !== undefined || this.#talk.ended !== undefined) return found;
    const names = [...offered.keys()].join(", ") || "none";
    throw new Misuse(`the extension offers no ${kind} ${name}: it offers ${names}`);
  }

  #sent(what: string, send: () => number): number {
    try {
      return send();
    } catch (error) {
      if (this.#talk.ended !== undefined) throw this.#talk.hasEnded(what);
      throw new Misuse(`${what}: ${(error as Error).message}`);
    }
  }

  #tell(frame: { type: string; [name: string]: unknown }): void {
    try {
      this.#session.tell(encodeJson(frame));
    } catch (error) {
      throw new Misuse(`the ${frame.type} was not sent: ${(error as Error).message}`);
    }
  }

  async #answer(serial: number, what: string): Promise<unknown> {
    const talk = this.#talk;
    const { name, said } = await talk.waitFor(what, () => talk.takeOutcome(serial));
    if (name !== "call_failed") return said;
    // The session answers every open call when the extension ends.
    if (talk.ended !== undefined) throw talk.hasEnded(what);
    throw new Unusable(`${what}: ${(said as { message: string }).message}\n${talk.transcript.tail()}`);
  }
}
