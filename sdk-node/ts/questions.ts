/** What the extension asks the host for, until the answer comes. */

import { errorOfHost, ToolError } from "./errors.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import type { Session } from "./native.js";
import { outputOf, type ToolOutput } from "./tool-output.js";

/** Who asks: a call, which takes its questions with it when it is cancelled, or none. */
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
  readonly asker: Asker | undefined;
  resolve(frame: string): void;
  reject(reason: unknown): void;
}

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
    const frame = await this.#ask(asker, options.signal, () => this.#session.callTool(asker?.serial ?? 0, name, text));
    return outputOf(name, frame);
  }

  /** Asks the host by method. */
  async request(asker: Asker | undefined, method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    checkName("request(method, params)", method);
    const text = params === undefined ? undefined : encodeJson(params);
    const ask = () => this.#session.request(asker?.serial ?? 0, method, text, options.timeoutMs);
    return JSON.parse(await this.#ask(asker, options.signal, ask)) as unknown;
  }

  #ask(asker: Asker | undefined, signal: AbortSignal | undefined, ask: () => number): Promise<string> {
    signal?.throwIfAborted();
    if (asker?.isCancelled) throw ToolError.cancelled();
    let question: number;
    try {
      question = ask();
    } catch (refused) {
      const { code, message } = refused as { code?: string; message: string };
      throw errorOfHost(code ?? "internal", message);
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => this.#giveUp(question, signal?.reason);
      const settled = () => signal?.removeEventListener("abort", giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#open.set(question, {
        asker,
        resolve: (frame) => (settled(), resolve(frame)),
        reject: (reason) => (settled(), reject(reason)),
      });
    });
  }

  /** The answer is not wanted any more. It comes all the same, and nobody is told. */
  #giveUp(question: number, reason: unknown): void {
    const open = this.#open.get(question);
    if (!open) return;
    this.#open.delete(question);
    this.#session.cancelQuestion(question);
    open.reject(reason);
  }

  /** The host has answered. */
  deliver(question: number, text: string, isError: boolean): void {
    const open = this.#open.get(question);
    if (!open) return;
    this.#open.delete(question);
    if (isError) {
      const { code, message } = JSON.parse(text) as { code: string; message: string };
      open.reject(errorOfHost(code, message));
    } else {
      open.resolve(text);
    }
  }

  /** The call that asked is cancelled: nobody waits for the answers. */
  cancel(asker: Asker): void {
    for (const [question, open] of this.#open) {
      if (open.asker === asker) this.#giveUp(question, ToolError.cancelled());
    }
  }
}

function checkName(what: string, name: unknown): void {
  if (typeof name !== "string") throw new TypeError(`${what} takes a name, and this is ${sayType(name)}`);
}
