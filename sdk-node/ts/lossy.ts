/** What JSON does not hold. */

/** A value that JSON does not hold, by the place where it stands. */
export class LossyValue extends TypeError {
  /** JSON pointer to it in what was to be written. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(pointer === "" ? message : `${pointer}: ${message}`);
    this.pointer = pointer;
  }
}
LossyValue.prototype.name = "TypeError";

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
