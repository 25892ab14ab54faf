/** Frames to the extension and back, until what a step waits for has come. */

import type { Caller } from "../definition.js";
import type { Extension } from "../extension.js";
import { encodeJson, ToolError } from "../inside.js";
import { clearTimeout, now, setImmediate, setTimeout } from "./clock.js";
import { CaseFailed, Ended, Misuse, TimedOut, type Failure } from "./failure.js";
import { Guest } from "./guest.js";
import { native, type Cases, type HostSession, type Playing } from "./native.js";
import { Seen, type Unwanted } from "./seen.js";
import { callStandIn, failureOf, frameOf, serveStandIn, type Methods, type Tools } from "./stand-ins.js";
import { Transcript } from "./transcript.js";

/** What shows itself in no frame is looked at so often, in milliseconds. */
const TICK = 1;

/** What a call came to: the name of an event of the session's, and what it says. */
export interface Outcome {
  readonly name: string;
  readonly said: any;
}

/** How long a real host waits for something, and that it does. */
export interface Limit {
  readonly milliseconds: number;
  readonly because: string;
}

/** The session of a host with one extension. Both run in the event loop of the test. */
export class Conversation {
  readonly session: HostSession;
  readonly seen: Seen;
  readonly transcript = new Transcript();
  readonly guest: Guest;
  /** In milliseconds. */
  deadline: number;
  readonly updates = new Map<number, any[]>();
  readonly parts = new Map<number, any[]>();
  readonly #outcomes = new Map<number, Outcome>();
  /** Calls of the extension's own tools by itself: who asked, and for which. */
  readonly #nested = new Map<number, { asked: number; tool: string }>();
  #tools: Tools;
  #methods: Methods;
  readonly #toExtension: Uint8Array[] = [];
  readonly #fromExtension: Uint8Array[] = [];
  #isScheduled = false;
  #hasEnded = false;
  #broken: Failure | undefined;
  #waiting: (() => void)[] = [];
  #playing: Playing | undefined;
  #runs = 0;

  constructor(
    extension: Extension,
    session: HostSession,
    standIns: { tools: Tools; methods: Methods },
    unwanted: readonly Unwanted[],
    deadline: number,
    starter: Caller,
  ) {
    this.session = session;
    this.seen = new Seen(unwanted);
    this.deadline = deadline;
    this.#tools = standIns.tools;
    this.#methods = standIns.methods;
    const said = (bytes: Uint8Array) => (this.#fromExtension.push(bytes), this.#schedule());
    this.guest = new Guest(extension, said, () => this.#schedule(), starter);
    this.guest.begin();
  }

  // Waiting.

  /** Goes on until `look` finds something; `what` names what did not happen otherwise. */
  async waitFor<Found>(what: string, look: () => Found | undefined, tick?: number, limit?: Limit): Promise<Found> {
    const patience = Math.min(this.deadline, limit?.milliseconds ?? Infinity);
    const until = now() + patience;
    for (;;) {
      this.converse();
      if (this.#broken) throw this.#broken;
      const found = look();
      if (found !== undefined) return found;
      if (this.ended !== undefined) throw this.hasEnded(what);
      const left = until - now();
      if (left <= 0) throw this.#timedOut(what, patience === limit?.milliseconds ? limit : undefined);
      await this.#arrival(tick === undefined ? left : Math.min(left, tick));
    }
  }

  /** Waits until the extension has read everything, and begun to do it. */
  async waitUntilBegun(what: string): Promise<void> {
    await this.waitFor(what, () => (this.#isSent && this.guest.hasBegun) || undefined, TICK);
  }

  /** Waits until the extension has handled every event and every panel's input. */
  async settle(what: string): Promise<void> {
    await this.waitFor(what, () => (this.#isSent && this.guest.isCalm) || undefined, TICK);
    this.tellFailures();
  }

  /** Puts what setup threw in front of the failure that came of it. */
  addCause(failure: unknown): void {
    const [cause] = this.guest.failures.splice(0);
    if (cause === undefined || !(failure instanceof Error)) return;
    failure.message = `${cause.message}\n${failure.message}`;
    failure.cause = cause.cause;
  }

  /** Fails where a handler has failed and no step has told of it. */
  tellFailures(): void {
    const [failure] = this.guest.failures.splice(0);
    if (failure === undefined) return;
    failure.message += `\n${this.transcript.tail()}`;
    throw failure;
  }

  /** What a call came to, if it did. */
  takeOutcome(serial: number): Outcome | undefined {
    const outcome = this.#outcomes.get(serial);
    this.#outcomes.delete(serial);
    return outcome;
  }

  /** Whether a call came to something that nobody has taken. */
  hasOutcome(serial: number): boolean {
    return this.#outcomes.has(serial);
  }

  /** How the extension ended, once all that it said is taken in. */
  get ended(): string | undefined {
    return this.#hasEnded ? this.guest.ended : undefined;
  }

  /** The failure of a step for which the extension should live. */
  hasEnded(what: string): Failure {
    return new Ended(`${what}: the extension ${this.guest.ended}\n${this.transcript.tail()}`);
  }

  #timedOut(what: string, limit: Limit | undefined): Failure {
    const { milliseconds, because } = limit ?? { milliseconds: this.deadline, because: "the deadline of this testing host" };
    const text = `${what} within ${milliseconds} ms, ${because}`;
    return new TimedOut(`${text}\n${this.transcript.tail()}`);
  }

  /** Waits until something may have changed, or the time is up. */
  #arrival(time: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#waiting.push(() => (clearTimeout(timer), resolve()));
    });
  }

  // Bytes.

  /** Does what the session wants done, and sends what it says. */
  converse(): void {
    for (;;) {
      for (let event = this.session.pollEvent(); event; event = this.session.pollEvent()) {
        this.#handle(event.name, event.serial, JSON.parse(event.json));
      }
      if (this.seen.isReady && this.seen.isNews) {
        this.seen.isNews = false;
        this.session.tell(encodeJson(this.seen.report()));
      }
      const bytes = this.session.pollOutput();
      if (!bytes) return;
      this.#send(bytes);
    }
  }

  /** Tells the extension to end. */
  shutdown(): void {
    this.session.shutdown();
    this.converse();
  }

  /** Runs nothing of the test's any more. */
  forgetStandIns(): void {
    this.#tools = this.#methods = {};
  }

  get #isSent(): boolean {
    return this.#toExtension.length === 0 && this.#fromExtension.length === 0;
  }

  #send(bytes: Uint8Array): void {
    this.transcript.add("host", bytes);
    this.#toExtension.push(bytes);
    this.#schedule();
  }

  /** Bytes go over in a turn of the loop of their own, as from a pipe. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pass();
    });
  }

  #pass(): void {
    for (const bytes of this.#toExtension.splice(0)) this.guest.feed(bytes);
    for (const bytes of this.#fromExtension.splice(0)) {
      this.transcript.add("extension", bytes);
      this.session.handleInput(bytes);
      this.#playing?.handleInput(bytes);
    }
    const { ended } = this.guest;
    if (ended !== undefined && !this.#hasEnded) {
      this.#hasEnded = true;
      this.session.handleEnd("the extension has ended");
      this.#playing?.handleEnd(ended);
    }
    this.converse();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  // Cases.

  /** Plays a case; `value` stands for its `$value`. */
  async play(cases: Cases, number: number, value: number): Promise<void> {
    const { tools, commands, subscription } = this.seen;
    const options = {
      value,
      deadline: this.deadline,
      prefix: `run${++this.#runs}-`,
      tools: [...tools.keys()],
      commands: [...commands.keys()],
      events: [...(subscription.events ?? [])],
      points: [...(subscription.intercept ?? [])],
    };
    const trouble = await new Promise<Failure | undefined>((resolve) => {
      const tell = (bytes: Uint8Array | null, text: string | null, isMistake: boolean) => {
        if (bytes) this.#send(bytes);
        else if (text === null) resolve(undefined);
        else resolve(isMistake ? new Misuse(text) : new CaseFailed(`${text}\n${this.transcript.tail()}`));
      };
      this.#playing = new native.Playing(cases, number, options, tell);
      if (this.ended !== undefined) this.#playing.handleEnd(this.ended);
    });
    this.#playing = undefined;
    if (trouble) throw trouble;
  }

  // What happens.

  #handle(name: string, serial: number, said: any): void {
    const nested = this.#nested.get(serial);
    if (name === "handshake_failed") {
      this.#broken = new Ended(`the extension did not become ready: ${said}\n${this.transcript.tail()}`);
    } else if (name === "tool_update" || name === "response_part") {
      const lists = name === "tool_update" ? this.updates : this.parts;
      lists.set(serial, [...(lists.get(serial) ?? []), said]);
    } else if (name === "call_tool") {
      this.#callForExtension(serial, said.name as string, said.args);
    } else if (name === "request") {
      void this.#serve(serial, said.method as string, said.params);
    } else if (nested) {
      this.#nested.delete(serial);
      const { asked, tool } = nested;
      const failed = name === "call_failed" ? failureOf(tool, said.message) : undefined;
      this.session.answerCall(asked, failed ?? frameOf(tool, said.content, said.is_error));
    } else if (serial !== 0) {
      this.#outcomes.set(serial, { name, said });
    } else {
      this.seen.take(name, said);
    }
  }

  /** A tool of the test's, one of the extension's own, or one that nobody has. */
  #callForExtension(asked: number, name: string, args: unknown = {}): void {
    const standIn = Object.hasOwn(this.#tools, name) ? this.#tools[name] : undefined;
    if (standIn === null) return;
    if (standIn !== undefined) {
      void callStandIn(name, standIn, args).then((frame) => {
        this.session.answerCall(asked, frame);
        this.converse();
      });
    } else if (this.seen.tools.has(name)) {
      this.#nested.set(this.session.callTool(name, encodeJson(args)), { asked, tool: name });
    } else {
      this.session.answerCall(asked, failureOf(name, `unknown tool ${name}`));
    }
  }

  async #serve(asked: number, name: string, params: unknown): Promise<void> {
    // The session lets only listed methods through.
    const method = this.#methods[name] ?? (() => null);
    let number = 0;
    try {
      const part = (json: string) => this.session.sendPart(asked, ++number, json);
      this.session.answerRequest(asked, await serveStandIn(method, params, part));
    } catch (thrown) {
      const { kind, message } =
        thrown instanceof ToolError ? thrown : { kind: "internal", message: `${name} failed: ${String(thrown)}` };
      this.session.refuseRequest(asked, kind, message);
    }
    this.converse();
  }
}
