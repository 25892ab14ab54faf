/**
 * Values as JSON text. V8 writes what it can hold without a loss; everything else is written, or
 * refused with its place, by {@link write}.
 */

import { LossyValue, sayType } from "./lossy.js";

/** Objects and arrays that may be open at once in a frame. */
const DEPTH = 128;

/**
 * JSON text that goes over the wire as it stands, with every digit, key and escape of it: as a
 * result, or inside one. `ctx.rawArgs` is one.
 *
 * @example
 * ```ts
 * return { total: new RawJson("12345678901234567890.10") };
 * ```
 */
export class RawJson {
  /** The text. */
  readonly text: string;

  /** Throws a `SyntaxError` when the text is no JSON value. */
  constructor(text: string) {
    JSON.parse(text);
    this.text = text.trim();
  }

  /** The value, by `JSON.parse`: an integer beyond 2^53 is rounded. */
  load(): unknown {
    return JSON.parse(this.text);
  }

  /** The text. */
  toString(): string {
    return this.text;
  }

  /** The value, for a `JSON.stringify` of the author's. */
  toJSON(): unknown {
    return this.load();
  }
}

/**
 * The JSON text of a value.
 *
 * Written like `JSON.stringify` does: `toJSON` is called (a `Date` becomes a string), members that
 * are undefined, functions or symbols are left out. A bigint becomes an integer with all its digits,
 * a {@link RawJson} stands as it is, half a surrogate pair becomes U+FFFD. What JSON would change is
 * refused with its place: NaN and infinities, undefined in an array, bytes, a Map, a Set, a Promise,
 * an Error, an object of a class that shows no members, what contains itself. With a `name`, places begin with it.
 */
export function encodeJson(value: unknown, name?: string): string {
  return isPlain(value, 1) ? JSON.stringify(value) : write(plain(value, ""), new Path(name));
}

/** Whether V8 writes all of a value as it is. Much faster than finding out by writing it. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > DEPTH) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (!isPlain(value[at], depth + 1)) return false;
    }
    return !("toJSON" in value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return false;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (isWritten(member) && !isPlain(member, depth + 1)) return false;
  }
  return true;
}

/** Where a value stands, and what it stands in. */
class Path {
  readonly #steps: string[];
  readonly #open = new Set<object>();

  constructor(name: string | undefined) {
    this.#steps = name === undefined ? [] : [name];
  }

  enter(value: object): void {
    if (this.#open.has(value)) throw this.refuse("contains itself");
    if (this.#open.size === DEPTH) throw this.refuse(`nested more than ${DEPTH} levels deep`);
    this.#open.add(value);
  }

  leave(value: object): void {
    this.#open.delete(value);
  }

  at<T>(step: string | number, run: () => T): T {
    this.#steps.push(String(step));
    const result = run();
    this.#steps.pop();
    return result;
  }

  /** The error of a value that JSON does not hold; its place is the JSON pointer. */
  refuse(message: string): LossyValue {
    return new LossyValue(pointer(this.#steps), message);
  }
}

/** The JSON pointer of these steps. */
export function pointer(steps: readonly PropertyKey[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** What `toJSON` makes of a value, where it has one. */
function plain(value: unknown, key: string): unknown {
  const isOurs = value instanceof RawJson || ArrayBuffer.isView(value) || isInvalidDate(value);
  if (isOurs || value === null || (typeof value !== "object" && typeof value !== "bigint")) return value;
  const toJSON = (value as { toJSON?: unknown }).toJSON;
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
}

/** Of what {@link plain} returned. */
function write(value: unknown, path: Path): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "bigint":
      return String(value);
    case "number":
      if (Number.isFinite(value)) return JSON.stringify(value);
      throw path.refuse(`JSON has no ${value}`);
    case "object":
      return value === null ? "null" : writeObject(value, path);
    default:
      throw path.refuse(`${sayType(value)} is no JSON value`);
  }
}

function writeObject(value: object, path: Path): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
    return write(value.valueOf(), path);
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw path.refuse("bytes are no JSON value: image(data, mimeType) makes an image of them");
  }
  if (isInvalidDate(value)) throw path.refuse("is an invalid Date");
  path.enter(value);
  const text = Array.isArray(value) ? writeArray(value, path) : writeMembers(value, path);
  path.leave(value);
  return text;
}

function writeArray(items: readonly unknown[], path: Path): string {
  // `Array.from` also visits the holes of a sparse array.
  const texts = Array.from(items, (item, at) => path.at(at, () => write(plain(item, String(at)), path)));
  return `[${texts.join(",")}]`;
}

function writeMembers(value: object, path: Path): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const members = Object.entries(value)
    .map(([name, member]) => [name, plain(member, name)] as const)
    .filter(([, member]) => isWritten(member));
  if (members.length === 0 && prototype !== Object.prototype && prototype !== null) {
    const advice = adviceOn(value);
    if (advice !== undefined) throw path.refuse(advice);
  }
  const texts = members.map(([name, member]) => {
    return `${JSON.stringify(name)}:${path.at(name, () => write(member, path))}`;
  });
  return `{${texts.join(",")}}`;
}

function isInvalidDate(value: unknown): value is Date {
  return value instanceof Date && Number.isNaN(value.getTime());
}

function isWritten(member: unknown): boolean {
  return member !== undefined && typeof member !== "function" && typeof member !== "symbol";
}

/** What would become {} without a word. */
function adviceOn(value: object): string | undefined {
  if (value instanceof Map) return "a Map is no JSON value: Object.fromEntries(map) is one";
  if (value instanceof Set) return "a Set is no JSON value: [...set] is one";
  if (value instanceof Error) return "an Error is no JSON value: throw it, or return its message";
  if ("then" in value && typeof value.then === "function") return "a Promise is no JSON value: is an `await` missing?";
  if (Symbol.asyncIterator in value || Symbol.iterator in value) return "an iterator is no JSON value: [...iterator] is one";
  const isOf = (name: string) => Object.prototype.toString.call(value) === `[object ${name}]`;
  if (isOf("Response")) return "a Response of fetch is no JSON value: return await response.text(), or .json()";
  if (isOf("Blob") || isOf("File")) return `${sayType(value)} is no JSON value: image(await blob.bytes(), blob.type) makes an image of it`;
  if (value instanceof RegExp || value instanceof WeakMap || value instanceof WeakSet) {
    return `${sayType(value)} is no JSON value`;
  }
  // `Object.create(others)` and the like, which has no class.
  if (sayType(value) === "an object") return undefined;
  return `${sayType(value)} has no members that JSON shows: return a plain object with what matters of it`;
}
