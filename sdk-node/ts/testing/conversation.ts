/** Bytes to the extension and back, until a step of the testing host is over. */

import type { Caller } from "../definition.js";
import type { Extension } from "../extension.js";
import { encodeJson } from "../inside.js";
import { clearTimeout, setImmediate, setTimeout } from "./clock.js";
import { CaseFailed, failureOf, Misuse, type Failure } from "./failure.js";
import { Guest } from "./guest.js";
import { native, type Cases, type HostSteps, type Playing, type Step } from "./native.js";
import type { LogLine, Note, ShownPanel } from "./seen.js";
import type { StandIns } from "./stand-ins.js";
import { Transcript } from "./transcript.js";

/** A testing host with one extension. Both run in the event loop of the test. */
export class Conversation {
  readonly steps: HostSteps;
  readonly transcript: Transcript;
  readonly guest: Guest;
  /** What it said unasked. */
  readonly told = { notes: [] as Note[], logs: [] as LogLine[], submitted: [] as string[], notices: [] as string[] };
  readonly panels = new Map<string, ShownPanel>();
  readonly #standIns: StandIns;
  readonly #toExtension: Uint8Array[] = [];
  readonly #fromExtension: Uint8Array[] = [];
  #isScheduled = false;
  #hasEnded = false;
  /** What handlers threw whose failures the host knows of, and has not told. */
  #thrown: { readonly cause: unknown }[] = [];
  #waiting: (() => void)[] = [];
  #playing: Playing | undefined;
  #runs = 0;

  constructor(extension: Extension, steps: HostSteps, standIns: StandIns, starter: Caller) {
    this.steps = steps;
    this.transcript = new Transcript(steps);
    this.#standIns = standIns;
    const said = (bytes: Uint8Array) => (this.#fromExtension.push(bytes), this.#schedule());
    this.guest = new Guest(extension, said, () => this.#schedule(), starter);
    this.guest.begin();
  }

  /** Does a step: goes on until it is over, or `holds` says so. What it found. */
  async do(what: Step, holds?: () => unknown): Promise<any> {
    const step = this.steps.step(encodeJson(what));
    for (;;) {
      this.converse();
      if (holds?.()) return this.steps.dropStep(step);
      this.#passFailures();
      const isSent = this.#toExtension.length === 0 && this.#fromExtension.length === 0;
      const { hasBegun, isCalm } = this.guest;
      const { wait, found, failure } = this.steps.look(step, isSent && hasBegun, isSent && isCalm);
      this.converse();
      if (failure) throw failureOf(failure, () => (failure.kind === "HandlerFailed" ? this.#thrown.splice(0) : this.#thrown)[0]);
      if (found !== undefined) return JSON.parse(found);
      await this.#arrival(wait ?? 0);
    }
  }

  #passFailures(): void {
    for (const { text, cause } of this.guest.failures.splice(0)) {
      this.steps.handleFailure(text);
      this.#thrown.push({ cause });
    }
  }

  /** Waits until something may have changed, or the time is up. */
  #arrival(time: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#waiting.push(() => (clearTimeout(timer), resolve()));
    });
  }

  // Bytes.

  /** Does what the host wants done, and sends what it says. */
  converse(): void {
    for (;;) {
      for (let asked = this.steps.pollAsked(); asked; asked = this.steps.pollAsked()) {
        void this.#standIns.answer(asked, this.steps).then(() => this.converse());
      }
      for (let told = this.steps.pollTold(); told; told = this.steps.pollTold()) {
        this.#take(told.list, JSON.parse(told.json));
      }
      const bytes = this.steps.pollOutput();
      if (!bytes) return;
      this.#send(bytes);
    }
  }

  #send(bytes: Uint8Array): void {
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
      this.steps.handleInput(bytes);
      this.#playing?.handleInput(bytes);
    }
    const { ended, exitCode } = this.guest;
    if (ended !== undefined && !this.#hasEnded) {
      this.#hasEnded = true;
      this.#passFailures();
      this.steps.handleEnd(ended, exitCode);
      this.#playing?.handleEnd(ended);
    }
    this.converse();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #take(list: string, said: any): void {
    if (list !== "panels") {
      if (list === "notes" && said === null) this.told.notes.length = 0;
      else if (list === "notes") this.told.notes.push({ level: said[0], message: said[1] });
      else this.told[list as "logs" | "submitted" | "notices"].push(said);
    } else if (typeof said === "string") {
      this.panels.delete(said);
    } else {
      this.panels.set(said.id, said);
    }
  }

  // Cases.

  /** Plays a case; `value` stands for its `$value`. */
  async play(cases: Cases, number: number, value: number): Promise<void> {
    const prefix = `run${++this.#runs}-`;
    const trouble = await new Promise<Failure | undefined>((resolve) => {
      const tell = (bytes: Uint8Array | null, text: string | null, isMistake: boolean) => {
        if (bytes) {
          this.steps.noteSent(bytes);
          this.#send(bytes);
        } else if (text === null) resolve(undefined);
        else resolve(isMistake ? new Misuse(text) : new CaseFailed(`${text}\n${this.transcript.tail()}`));
      };
      this.#playing = new native.Playing(cases, number, value, this.steps, prefix, tell);
      const { ended } = this.steps;
      if (ended !== null) this.#playing.handleEnd(ended);
    });
    this.#playing = undefined;
    if (trouble) throw trouble;
  }
}
