/** The testing host as a test uses it. */

import type { Extension } from "../extension.js";
import { Caller, encodeJson } from "../inside.js";
import type { EventName, EventPayload, Events } from "../events.js";
import { Answer, CommandAnswer, MethodAnswer, Ruling, type UpdateFrame } from "./answers.js";
import { Conversation } from "./conversation.js";
import { addStory, Failure, Misuse } from "./failure.js";
import { native, type HostSteps } from "./native.js";
import { stepOptions, wireOf, type HostOptions } from "./options.js";
import type { LogLine, Note, Registered, ShownPanel, Subscription } from "./seen.js";
import { StandIns } from "./stand-ins.js";
import type { Transcript } from "./transcript.js";

/** Milliseconds that a host waits for the end, as docs/protocol/specification.md has it. */
const END = 1_500;

/** A call that runs, made by `host.begin`. */
export class Call {
  /** The tool that was called. */
  readonly tool: string;
  /** @internal */
  readonly number: number;

  /** @internal */
  constructor(tool: string, number: number) {
    this.tool = tool;
    this.number = number;
  }
}

/** A moment, with the names of JavaScript; `tool` and `args` stand for `toolName` and `toolArgs`. */
export interface MomentPayload extends EventPayload {
  readonly tool?: string;
  readonly args?: object;
  readonly systemPrompt?: string;
  readonly [name: string]: unknown;
}

/** An action that the extension proposes. */
export interface PendingAction {
  readonly id: string;
  readonly label: string;
  readonly summary: string | null;
  readonly details: unknown;
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
  readonly #steps: HostSteps;
  #hasLeft = false;

  private constructor(extension: Extension, options: HostOptions, starter: Caller) {
    try {
      this.#steps = new native.HostSteps(encodeJson(stepOptions(options)));
    } catch (error) {
      throw new Misuse((error as Error).message);
    }
    const standIns = new StandIns(options.tools, options.methods);
    this.#talk = new Conversation(extension, this.#steps, standIns, starter);
  }

  // Beginning and end.

  /** Starts the extension and waits until it is ready. */
  static async start(extension: Extension, options: HostOptions = {}): Promise<Host> {
    return Host.startFor(new Caller(Host.start), extension, options);
  }

  /** The same, for the caller of another function. @internal */
  static async startFor(starter: Caller, extension: Extension, options: HostOptions): Promise<Host> {
    const host = new Host(extension, options, starter);
    try {
      await host.#talk.do(["start"]);
    } catch (failure) {
      await host.#leave();
      throw failure;
    }
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
    return this.#talk.do(["shutdown"]);
  }

  /**
   * Ends the extension if it has not ended, whatever state it is in. Rejects where it took longer than a host waits,
   * and where a handler failed and no step has told of it, as teardown.
   */
  async close(): Promise<void> {
    const failure = await this.#leave();
    if (failure !== undefined) throw failure;
    await this.#talk.do(["check_handlers"]);
  }

  /** Ends the extension, and gives back why it did not end in time. */
  async #leave(): Promise<Failure | undefined> {
    if (this.#hasLeft) return undefined;
    this.#hasLeft = true;
    try {
      if (this.#steps.ended !== null) return undefined;
      this.#steps.deadline = Math.max(this.#steps.deadline, END);
      this.#steps.forgetStandIns();
      await this.shutdown();
      return undefined;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      return failure;
    } finally {
      this.#talk.guest.leave();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Milliseconds that each step may take. */
  get deadlineMs(): number {
    return this.#steps.deadline;
  }

  set deadlineMs(milliseconds: number) {
    this.#steps.deadline = milliseconds;
  }

  // Tools.

  /** Calls a tool and waits for its answer: `host.call("weather", { city: "Berlin" })`. */
  async call(tool: string, args: object = {}): Promise<Answer> {
    return new Answer(await this.#talk.do(["call", tool, args]));
  }

  /**
   * Calls a tool as an agent that would make the call again after a crash: with a key, which the tool finds in
   * `ctx.operationKey`.
   */
  async callWithKey(operationKey: string, tool: string, args: object = {}): Promise<Answer> {
    return new Answer(await this.#talk.do(["call_with_key", operationKey, tool, args]));
  }

  /**
   * Asks a tool with `replay: "reconcile"` what became of the call of that key:
   * `(await host.reconcile("op-7", "pay", { amount: 3 })).value.state`.
   */
  async reconcile(operationKey: string, tool: string, args: object = {}): Promise<Answer> {
    return new Answer(await this.#talk.do(["reconcile", operationKey, tool, args]));
  }

  /** Calls a tool; `finish` waits for its answer. */
  async begin(tool: string, args: object = {}): Promise<Call> {
    return new Call(tool, await this.#talk.do(["begin", tool, args]));
  }

  /** Waits for the next update of a call. */
  async nextUpdate(call: Call): Promise<UpdateFrame> {
    return this.#talk.do(["next_update", call.number]);
  }

  /** Tells the extension that the answer is not wanted any more; it answers all the same. */
  async cancel(call: Call): Promise<void> {
    await this.#talk.do(["cancel", call.number]);
  }

  /** Waits for the answer to a call. */
  async finish(call: Call): Promise<Answer> {
    return new Answer(await this.#talk.do(["finish", call.number]));
  }

  /** The tools that the extension offers, as it registered them. */
  get tools(): readonly Registered[] {
    return JSON.parse(this.#steps.tools) as Registered[];
  }

  // Commands, events, moments, methods.

  /** Runs a command with what a user typed behind it. */
  async command(name: string, args = ""): Promise<CommandAnswer> {
    return new CommandAnswer(await this.#talk.do(["command", name, args]));
  }

  /** The commands that the extension offers, as it registered them. */
  get commands(): readonly Registered[] {
    return JSON.parse(this.#steps.commands) as Registered[];
  }

  /** Gives the extension another configuration, and waits until its handlers of `config_changed` have ended. */
  async changeConfig(config: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#talk.do(["change_config", config]);
  }

  /** Tells of an event, and waits until its handlers have ended. */
  async event<Name extends EventName>(name: Name, payload?: Omit<Events[Name], "event">): Promise<void>;
  async event(name: string, payload?: EventPayload & { readonly [name: string]: unknown }): Promise<void>;
  async event(name: string, payload: object = {}): Promise<void> {
    await this.#talk.do(["event", name, wireOf(payload)]);
  }

  /** What the extension listens to. */
  get subscription(): Subscription {
    return JSON.parse(this.#steps.subscription) as Subscription;
  }

  /**
   * Asks interceptors and then guards about what is about to happen:
   * `host.intercept("tool_call", { tool: "bash", args: { command: "ls" } })`.
   */
  async intercept(point: string, payload: MomentPayload = {}): Promise<Ruling> {
    return new Ruling(await this.#talk.do(["intercept", point, wireOf(payload)]));
  }

  /** Asks the extension by method. */
  async request(method: string, params?: unknown): Promise<MethodAnswer> {
    return new MethodAnswer(await this.#talk.do(params === undefined ? ["request", method] : ["request", method, params]));
  }

  // Actions that it proposes.

  /** The actions that are pending; the first is resolved next. */
  async pending(): Promise<readonly PendingAction[]> {
    return this.#talk.do(["pending"]);
  }

  /**
   * Has the first of them done or dropped, as the model does: `host.resolve("apply", "looks right")`. Resolves to what
   * the model reads; one that fails stays pending.
   */
  async resolve(action: "apply" | "discard", reason = ""): Promise<Answer> {
    return new Answer(await this.#talk.do(["resolve", action, reason]));
  }

  // Panels.

  /** A panel as it is shown; undefined when it is not open. */
  panel(id: string): ShownPanel | undefined {
    return this.#talk.panels.get(id);
  }

  /** The panels that are open, the newest last. */
  get panels(): readonly ShownPanel[] {
    return [...this.#talk.panels.values()];
  }

  /** Presses a key: its name (`up`, `enter`), or one character. */
  async key(panel: string, key: string): Promise<void> {
    await this.#talk.do(["press_key", panel, key]);
  }

  /** Gives it another size, in columns and lines. */
  async resizePanel(panel: string, width: number, height: number): Promise<void> {
    await this.#talk.do(["resize_panel", panel, width, height]);
  }

  /** Closes it, as a user does. */
  async closePanel(panel: string): Promise<void> {
    await this.#talk.do(["close_panel", panel]);
  }

  // What it said unasked.

  /** The notes that the user sees. */
  get notes(): readonly Note[] {
    return this.#talk.told.notes;
  }

  /** What was logged. */
  get logs(): readonly LogLine[] {
    return this.#talk.told.logs;
  }

  /** The prompts that were queued. */
  get submitted(): readonly string[] {
    return this.#talk.told.submitted;
  }

  /** What the host would complain about. */
  get notices(): readonly string[] {
    return this.#talk.told.notices;
  }

  /** What the extension keeps, by scope and key; undefined where the host was made without `state`. */
  get state(): Readonly<Record<"session" | "project" | "global", Readonly<Record<string, unknown>>>> | undefined {
    return (JSON.parse(this.#steps.state()) as this["state"] | null) ?? undefined;
  }

  /** Every frame, both ways. */
  get transcript(): Transcript {
    return this.#talk.transcript;
  }

  /** Waits until the extension has handled every event and every panel's input. */
  async settle(): Promise<void> {
    await this.#talk.do(["settle"]);
  }

  /** Waits until something has come: `host.waitUntil("a note", () => host.notes.length > 0)`. */
  async waitUntil(what: string, holds: () => unknown): Promise<void> {
    await this.#talk.do(["wait_until", what], holds);
  }

  /** For cases. @internal */
  get talk(): Conversation {
    return this.#talk;
  }
}
