/** What JSON does not hold. */

/** A value that cannot be sent as what it is meant for. */
export class Unsendable extends TypeError {}
Unsendable.prototype.name = "TypeError";

/** A value that JSON does not hold, by the place where it stands. */
export class LossyValue extends Unsendable {
  /** JSON pointer to it in what was to be written. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(pointer === "" ? message : `${pointer}: ${message}`);
    this.pointer = pointer;
  }
}

/** `"read", "write" or "exec"`. */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/** The type of a value, in the words of its author: `a Map`, `undefined`, `the function go`. */
export function sayType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  if (typeof name !== "string" || name === "" || name === "Object") return "an object";
  return /^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`;
}
