/** The portable way: sockets of Node's read and write, and its timers keep the time. */

import type * as net from "node:net";
import type { Session } from "./native.js";

export class SocketReader {
  readonly #session: Session;
  readonly #input: net.Socket;
  readonly #output: net.Socket;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: Session) {
    const [input, output] = session.takeDescriptors();
    // Only here: it takes Node longer to load than all of this package.
    const { Socket } = process.getBuiltinModule("node:net");
    this.#session = session;
    this.#input = new Socket({ fd: input, readable: true, writable: false });
    this.#output = new Socket({ fd: output, readable: false, writable: true });
  }

  begin(): void {
    const session = this.#session;
    this.#input.on("data", (bytes) => session.feed(bytes));
    this.#input.on("end", () => session.endInput());
    // A peer that closed its socket without reading everything.
    this.#input.on("error", () => session.endInput());
    this.#output.on("error", () => session.written(true));
  }

  /** What the session waits for. */
  wants(input: boolean, due: number | undefined): void {
    if (input) {
      this.#input.resume();
    } else {
      this.#input.pause();
    }
    clearTimeout(this.#timer);
    this.#timer = due === undefined ? undefined : setTimeout(() => this.#session.turn(), due);
    const bytes = this.#session.takeOutput();
    if (bytes) this.#output.write(bytes, (error) => error || this.#session.written(false));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#input.destroy();
    this.#output.end();
  }
}
