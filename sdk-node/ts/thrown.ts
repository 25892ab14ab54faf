/** Anything that can be thrown, in words. None of this throws. */

import type { InspectOptions } from "node:util";

/** A text for the model; the author has the stack. */
const LONGEST = 500;

/** In a few words: `TypeError: x is undefined`, a string as it is, `it threw null` for what is neither. */
export function explain(thrown: unknown): string {
  const text = words(thrown);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}

/** As Node prints it. Loaded here, as no start should wait for it. */
function inspect(value: unknown, options: InspectOptions = {}): string {
  return process.getBuiltinModule("node:util").inspect(value, options);
}

function words(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      const name = String(thrown.name || "Error");
      const message = String(thrown.message);
      return message === "" ? name : `${name}: ${message}`;
    }
    return typeof thrown === "string" ? thrown : `it threw ${inspect(thrown, { depth: 1, breakLength: Infinity })}`;
  } catch {
    return "it threw what cannot be shown";
  }
}

/** At length, with the stack and the causes: what Node prints of an uncaught error. */
export function print(thrown: unknown): string {
  try {
    return thrown instanceof Error ? inspect(thrown) : words(thrown);
  } catch {
    return "what it threw cannot be shown";
  }
}
