/**
 * Integers that a number of JavaScript cannot hold. `JSON.parse` rounds them without a word, and an
 * identifier that was rounded is another one: where a schema asks for a number, such a call is
 * refused. Where the schema says nothing, the number is rounded, and `ctx.rawArgs` has its digits.
 */

import { pointer } from "../json.js";
import type { Mistake } from "./standard.js";

type Schema = Readonly<Record<string, unknown>>;

/** Whether a schema asks for a number anywhere. */
export function hasNumbers(schema: unknown): boolean {
  return /"(?:integer|number)"/.test(JSON.stringify(schema));
}

/** The first integer in `args` that was rounded and for which `schema` asks; `text` is what came. */
export function roundedInteger(args: unknown, text: () => string, schema: unknown): Mistake | undefined {
  if (!hasUnsafe(args)) return undefined;
  const found: { path: PropertyKey[]; value: number }[] = [];
  collect(args, [], found);
  const spelled = new Map(inexact(text()).map((digits) => [Number(digits), digits]));
  for (const { path, value } of found) {
    const digits = spelled.get(value);
    if (digits !== undefined && asksForNumber(schema as Schema, path, schema as Schema)) {
      const shown = digits.length <= 40 ? digits : `${digits.slice(0, 40)}...`;
      const message = `${shown} is more than can be held exactly: integers end at 9007199254740991 (2^53 - 1)`;
      return { pointer: pointer(path), message };
    }
  }
  return undefined;
}

/** Whether a number may have been rounded to this integer. */
function isUnsafe(value: number): boolean {
  return !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
}

/** Whether there is any such number: nearly never. */
function hasUnsafe(value: unknown): boolean {
  if (typeof value === "number") return isUnsafe(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasUnsafe);
  for (const name in value) {
    if (hasUnsafe((value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

/** Integers that may have been rounded, by their place. */
function collect(value: unknown, path: PropertyKey[], found: { path: PropertyKey[]; value: number }[]): void {
  if (typeof value === "number") {
    if (isUnsafe(value)) found.push({ path: [...path], value });
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      path.push(key);
      collect((value as Record<string, unknown>)[key], path, found);
      path.pop();
    }
  }
}

/** The integers of a JSON text that a number does not hold, as they are spelled. */
function inexact(text: string): string[] {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
  return tokens.filter((token) => !token.startsWith('"') && !isHeld(token));
}

/** A fraction is always rounded, and nobody minds; a number beyond 1.8e308 becomes infinite. */
function isHeld(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d{16,}$/.test(token) || BigInt(token) === BigInt(value);
}

/** Whether the schema of the member at `path` says number or integer. */
function asksForNumber(schema: Schema | undefined, path: readonly PropertyKey[], root: Schema, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > 64) return false;
  const [step, ...rest] = path;
  if (step === undefined && [schema.type].flat().some((type) => type === "integer" || type === "number")) return true;
  const within = [schema.anyOf, schema.oneOf, schema.allOf, resolve(schema.$ref, root)].flat() as Schema[];
  if (within.some((one) => asksForNumber(one, path, root, depth + 1))) return true;
  if (step === undefined) return false;
  const properties = schema.properties as Record<string, Schema> | undefined;
  const prefix = schema.prefixItems as Record<string, Schema> | undefined;
  const name = String(step);
  const own = memberOf(properties, name) ?? memberOf(prefix, name) ?? schema.items ?? schema.additionalProperties;
  return asksForNumber(own as Schema | undefined, rest, root, depth + 1);
}

function memberOf(schemas: Readonly<Record<string, Schema>> | undefined, name: string): Schema | undefined {
  return schemas !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
}

/** What a reference inside the schema points to. */
function resolve(ref: unknown, root: Schema): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const steps = ref.slice(1).split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], root);
}
