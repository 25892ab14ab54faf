/** What the extension asks the host for, until the answer comes. */

import { errorOf, ToolError, type Failure } from "./errors.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import type { Session } from "./native.js";
import { isThenable } from "./thenable.js";
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
  /**
   * Is called with each part of an answer that comes in parts, one after the other, before the promise
   * resolves. What it throws, or rejects with, ends the request.
   */
  onPart?: ((part: unknown) => unknown) | undefined;
}

interface Open {
  resolve(text: string): void;
  reject(reason: unknown): void;
  part(text: string): void;
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
    const { onPart } = options;
    if (onPart !== undefined && typeof onPart !== "function") {
      throw new TypeError(`onPart is a function, and this is ${sayType(onPart)}`);
    }
    const ask = (serial: number) =>
      this.#session.request(serial, method, text, options.timeoutMs, onPart !== undefined);
    return JSON.parse(await this.#ask(asker, options.signal, ask, onPart)) as unknown;
  }

  /** Sends a part of the answer to a request of the host's; waits while the host does not read. */
  async sendPart(asker: Asker, part: unknown): Promise<void> {
    const text = encodeJson(part === undefined ? null : part);
    for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
      if (asker.isCancelled) throw ToolError.cancelled();
      if (refusable(() => this.#session.sendPart(asker.serial, text))) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  #ask(
    asker: Asker | undefined,
    signal: AbortSignal | undefined,
    ask: (serial: number) => number,
    onPart?: (part: unknown) => unknown,
  ): Promise<string> {
    signal?.throwIfAborted();
    if (asker?.isCancelled) throw ToolError.cancelled();
    const question = refusable(() => ask(asker?.serial ?? -1));
    return new Promise((resolve, reject) => {
      const settled = () => (this.#open.delete(question), signal?.removeEventListener("abort", giveUp));
      // The answer comes all the same, and nobody is told.
      const failed = (reason: unknown) => (settled(), this.#session.cancelQuestion(question), reject(reason));
      const giveUp = () => failed(signal?.reason);
      // Parts that are still at work, where `onPart` has to be waited for.
      let parts: PromiseLike<unknown> | undefined;
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#open.set(question, {
        resolve: (text) => {
          if (parts === undefined) return (settled(), resolve(text));
          parts.then(() => this.#open.has(question) && (settled(), resolve(text)));
        },
        reject: (reason) => (settled(), reject(reason)),
        part: (text) => {
          const take = () => (this.#open.has(question) ? onPart?.(JSON.parse(text)) : undefined);
          try {
            const taken = parts === undefined ? take() : parts.then(take);
            if (isThenable(taken)) parts = Promise.resolve(taken).then(undefined, failed);
          } catch (thrown) {
            failed(thrown);
          }
        },
      });
    });
  }

  /** A part of an answer has come. */
  deliverPart(question: number, text: string): void {
    this.#open.get(question)?.part(text);
  }

  /** The host has answered, or the handler that asked was cancelled. */
  deliver(question: number, text: string, isError: boolean): void {
    const open = this.#open.get(question);
    if (isError) open?.reject(errorOf(JSON.parse(text) as Failure));
    else open?.resolve(text);
  }
}

/** What the native half refuses, as the author sees it. */
export function refusable<Value>(ask: () => Value): Value {
  try {
    return ask();
  } catch (refused) {
    const { code, message } = refused as { code?: string; message: string };
    const [said = "", hint] = message.split("\nhint: ", 2);
    throw errorOf(hint === undefined ? { kind: code ?? "internal", message: said } : { kind: code ?? "internal", message: said, hint });
  }
}

function checkName(what: string, name: unknown): void {
  if (typeof name !== "string") throw new TypeError(`${what} takes a name, and this is ${sayType(name)}`);
}
