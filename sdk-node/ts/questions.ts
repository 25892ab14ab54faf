/** What the extension asks the host for, until the answer comes. */

import { errorOf, ToolError, type Failure } from "./errors.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import type { Session } from "./native.js";
import { outputOf, type ToolOutput } from "./tool-output.js";

/** Who asks: a handler, which takes its questions with it when it is cancelled, or none. */
export interface Asker {
  readonly serial: number;
  readonly isCancelled: boolean;
}

/** How a question is asked. */
export interface AskOptions {
  /** Gives the question up. */
  signal?: AbortSignal | undefined;
}

/** How a method of the host's is asked for. */
export interface RequestOptions extends AskOptions {
  /** How long to wait, in milliseconds; for ever when not said. */
  timeoutMs?: number | undefined;
}

interface Open {
  resolve(text: string): void;
  reject(reason: unknown): void;
}

/** The native half knows who asked, and gives up what a cancelled handler has asked. */
export class Questions {
  readonly #session: Session;
  readonly #open = new Map<number, Open>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Calls a tool of the host's. */
  async callTool(asker: Asker | undefined, name: string, args: object, options: AskOptions): Promise<ToolOutput> {
    checkName("callTool(name, args)", name);
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new TypeError(`callTool(name, args) takes arguments as an object, and this is ${sayType(args)}`);
    }
    const text = encodeJson(args);
    const frame = await this.#ask(asker, options.signal, (serial) => this.#session.callTool(serial, name, text));
    return outputOf(frame);
  }

  /** Asks the host by method. */
  async request(asker: Asker | undefined, method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    checkName("request(method, params)", method);
    const text = params === undefined ? undefined : encodeJson(params);
    const ask = (serial: number) => this.#session.request(serial, method, text, options.timeoutMs);
    return JSON.parse(await this.#ask(asker, options.signal, ask)) as unknown;
  }

  #ask(asker: Asker | undefined, signal: AbortSignal | undefined, ask: (serial: number) => number): Promise<string> {
    signal?.throwIfAborted();
    if (asker?.isCancelled) throw ToolError.cancelled();
    let question: number;
    try {
      question = ask(asker?.serial ?? -1);
    } catch (refused) {
      const { code, message } = refused as { code?: string; message: string };
      throw errorOf({ kind: code ?? "internal", message });
    }
    return new Promise((resolve, reject) => {
      const settled = () => (this.#open.delete(question), signal?.removeEventListener("abort", giveUp));
      // The answer comes all the same, and nobody is told.
      const giveUp = () => (settled(), this.#session.cancelQuestion(question), reject(signal?.reason));
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#open.set(question, {
        resolve: (text) => (settled(), resolve(text)),
        reject: (reason) => (settled(), reject(reason)),
      });
    });
  }

  /** The host has answered, or the handler that asked was cancelled. */
  deliver(question: number, text: string, isError: boolean): void {
    const open = this.#open.get(question);
    if (isError) open?.reject(errorOf(JSON.parse(text) as Failure));
    else open?.resolve(text);
  }
}

function checkName(what: string, name: unknown): void {
  if (typeof name !== "string") throw new TypeError(`${what} takes a name, and this is ${sayType(name)}`);
}
