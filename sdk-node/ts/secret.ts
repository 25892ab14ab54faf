/** Keys, tokens and passwords, which nothing prints by accident. */

import type { Context } from "./context.js";
import { sayType } from "./lossy.js";
import { refusable } from "./questions.js";

const MASK = "***";

/** More about a secret that is asked for. */
export interface SecretOptions {
  /** What it is for, in a few words. */
  purpose?: string;
}

/**
 * A key, a token or a password. `String()`, `console.log` and `JSON.stringify` give `***`; {@link Secret.reveal} gives
 * the text.
 */
export class Secret {
  readonly #value: string;

  /** @internal */
  constructor(value: string) {
    this.#value = value;
  }

  /** The text, for where it is used. */
  reveal(): string {
    return this.#value;
  }

  /** Whether both are the same text, in a time that tells nothing of where they differ. */
  equals(other: Secret): boolean {
    const [mine, others] = [this.#value, other.#value];
    let difference = mine.length ^ others.length;
    for (let at = 0; at < mine.length; at++) difference |= mine.charCodeAt(at) ^ others.charCodeAt(at);
    return difference === 0;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Secret(${MASK})`;
  }
}

/** What `ctx.secret` and `ctx.env` resolve to, as text. */
export async function valueOf(
  ctx: Context,
  method: "secret.get" | "env.get",
  name: string,
  options: SecretOptions = {},
): Promise<string> {
  if (typeof name !== "string") {
    throw new TypeError(`the name of a secret or a variable is a string, and this is ${sayType(name)}`);
  }
  const found = refusable(() => ctx.serving.session.elsewhere(method, name));
  if (found !== null) return found;
  const answer = (await ctx.request(method, { name, ...options })) as { value: string };
  return answer.value;
}
