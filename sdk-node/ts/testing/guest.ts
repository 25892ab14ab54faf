/** The extension at the other end. */

import type { Extension } from "../extension.js";
import { Serving } from "../inside.js";
import { clearTimeout, setImmediate, setTimeout } from "./clock.js";
import type { Caller } from "../definition.js";
import { Misuse } from "./failure.js";

/** An extension that is served in this process, and left as it was found. */
export class Guest {
  readonly #serving: Serving;
  readonly #leave: () => void;
  readonly #said: (bytes: Uint8Array) => void;
  #timer: NodeJS.Timeout | undefined;
  /** How it ended, as "has ended with exit code 0". */
  ended: string | undefined;
  /** How handlers failed that nobody waits for, and what they threw. */
  readonly failures: { readonly text: string; readonly cause: unknown }[] = [];
  /** With which exit code, where it ended in the ordinary way. */
  exitCode: number | undefined;

  /** `said` gets what it writes, `over` is called at its end; `starter` is who started the host. */
  constructor(extension: Extension, said: (bytes: Uint8Array) => void, over: () => void, starter: Caller) {
    this.#said = said;
    const end = (how: string) => {
      clearTimeout(this.#timer);
      this.ended = `has ended with ${how}`;
      over();
    };
    this.#serving = new Serving(
      extension.offer,
      {
        finished: (code) => ((this.exitCode = code), end(`exit code ${code}`)),
        failed: (error) => end(String(error)),
        handlerFailed: (what, thrown) => {
          const said = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
          this.failures.push({ text: `${what} failed: ${said}`, cause: thrown });
        },
        wants: (_input, due) => this.#wants(due),
      },
      { reader: "bytes" },
    );
    try {
      this.#leave = extension.lend(this.#serving, starter);
    } catch (error) {
      throw new Misuse((error as Error).message);
    }
  }

  begin(): void {
    this.#serving.begin();
  }

  /** It reads this. Handlers begin within. */
  feed(bytes: Uint8Array): void {
    if (this.ended === undefined) this.#serving.session.feed(bytes);
  }

  /** Whether all that it has read has begun. */
  get hasBegun(): boolean {
    return this.#serving.session.progress()[0];
  }

  /** Whether all of it is done except calls that still run. */
  get isCalm(): boolean {
    return this.#serving.session.progress()[1];
  }

  /** Puts the extension back as it was. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#serving.session.close();
    this.#leave();
  }

  #wants(due: number | undefined): void {
    const { session } = this.#serving;
    const bytes = session.takeOutput();
    if (bytes) {
      this.#said(bytes);
      // Once more, when this has returned.
      setImmediate(() => session.written(false));
    }
    clearTimeout(this.#timer);
    // No test is kept alive by it.
    this.#timer = due === undefined ? undefined : setTimeout(() => session.turn(), due).unref();
  }
}
