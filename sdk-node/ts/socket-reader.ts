/** The portable way: streams of Node's read and write, and its timers keep the time. */

import type * as net from "node:net";
import type { Session } from "./native.js";
import { WebInput, type WebReader } from "./web-input.js";

/** How often it looks for the end of what it does not read, in milliseconds. */
const LOOK = 100;

/** What is used of Bun. */
interface Bun {
  file(descriptor: number): { stream(): { getReader(): WebReader } };
}

export class SocketReader {
  readonly #session: Session;
  readonly #input: net.Socket | WebInput;
  readonly #output: net.Socket;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(session: Session) {
    const [input, output] = session.takeDescriptors();
    // Only here: it takes Node longer to load than all of this package.
    const { Socket } = process.getBuiltinModule("node:net");
    this.#session = session;
    // A socket of Bun's that is made of a descriptor reads nothing.
    const bun = (globalThis as { Bun?: Bun }).Bun;
    this.#input = bun
      ? new WebInput(bun.file(input).stream().getReader())
      : new Socket({ fd: input, readable: true, writable: false });
    this.#output = new Socket({ fd: output, readable: false, writable: true });
  }

  begin(): void {
    const session = this.#session;
    if (this.#input instanceof WebInput) {
      this.#input.begin({ feed: (bytes) => session.feed(bytes), end: () => session.endInput() });
    } else {
      this.#input.on("data", (bytes) => session.feed(bytes));
      this.#input.on("end", () => session.endInput());
      // A peer that closed its socket without reading everything.
      this.#input.on("error", () => session.endInput());
    }
    this.#output.on("error", () => session.written(true));
  }

  /** What the session waits for. */
  wants(input: boolean, due: number | undefined): void {
    clearTimeout(this.#look);
    if (input) {
      this.#input.resume();
    } else {
      this.#input.pause();
      // A socket that is not read does not tell its end.
      const look = () => {
        this.#look = setTimeout(look, LOOK);
        this.#session.lookForHangUp();
      };
      this.#look = setTimeout(look, LOOK);
    }
    clearTimeout(this.#timer);
    this.#timer = due === undefined ? undefined : setTimeout(() => this.#session.turn(), due);
    const bytes = this.#session.takeOutput();
    if (bytes) this.#output.write(bytes, (error) => error || this.#session.written(false));
  }

  end(): void {
    clearTimeout(this.#look);
    clearTimeout(this.#timer);
    this.#input.destroy();
    this.#output.end();
  }
}
