/** Schemas of any library that follows Standard Schema (https://standardschema.dev). */

import { ToolError } from "../errors.js";
import { pointer } from "../json.js";
import { Misreturned } from "../misreturned.js";

/**
 * A schema of any library that follows Standard Schema 1: zod, valibot, arktype and others. The
 * library is the validator; its defaults and transforms apply.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the library says of the schema. */
  readonly "~standard": {
    /** Of Standard Schema. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Checks a value, and makes of it what the schema says. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Only there for the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a library says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** What is wrong, in words. */
  readonly message: string;
  /** Where. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** As many mistakes as a model is told of at once. */
const MOST = 5;

/** Whether it is a schema of a library: an object, or a function as arktype's. */
export function isStandard(schema: unknown): schema is StandardSchema {
  const isAny = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isAny && typeof (schema as Partial<StandardSchema>)["~standard"]?.validate === "function";
}

/** What the library makes of a value; `refuse` makes the error of one that does not match. */
export function validate(
  schema: StandardSchema,
  value: unknown,
  refuse: (issues: readonly Mistake[]) => Error,
): unknown {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then((later) => settle(later, refuse)) : settle(result, refuse);
}

function settle(result: StandardResult<unknown>, refuse: (issues: readonly Mistake[]) => Error): unknown {
  if (!result.issues) return result.value;
  throw refuse(result.issues.flatMap(mistakesOf));
}

/** One mistake: the JSON pointer of the offending member itself, and what is wrong with it. */
export interface Mistake {
  readonly pointer: string;
  readonly message: string;
}

/** What zod says beyond the standard. */
interface ZodIssue extends StandardIssue {
  readonly code?: string;
  /** Of `unrecognized_keys`: the members that are too many; the path is that of their object. */
  readonly keys?: readonly PropertyKey[];
  /** Of `invalid_union`: what each alternative says. */
  readonly errors?: readonly (readonly StandardIssue[])[];
}

function mistakesOf(issue: ZodIssue): Mistake[] {
  const path = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  if (issue.code === "unrecognized_keys" && issue.keys) {
    return issue.keys.map((key) => ({ pointer: pointer([...path, key]), message: "not allowed" }));
  }
  if (issue.code === "invalid_union" && issue.errors?.length) {
    const told = issue.errors.map((issues) => issues.flatMap(mistakesOf).map(say).join(" and "));
    return [{ pointer: pointer(path), message: `${issue.message}: ${[...new Set(told)].join(", or ")}` }];
  }
  return [{ pointer: pointer(path), message: issue.message }];
}

function say(mistake: Mistake): string {
  return mistake.pointer === "" ? mistake.message : `${mistake.pointer}: ${mistake.message}`;
}

/** The answer to a call whose arguments do not match: it names all mistakes, its field is the first. */
export function wrongArgs(mistakes: readonly Mistake[]): ToolError {
  const field = mistakes[0]?.pointer ?? "";
  return ToolError.validation(`invalid arguments: ${list(mistakes, "the arguments")}`, { field });
}

/** The error of a handler whose result does not match the schema that its author gave. */
export function wrongResult(mistakes: readonly Mistake[]): TypeError {
  return new Misreturned(`its result does not match its output schema: ${list(mistakes, "the result")}`);
}

function list(mistakes: readonly Mistake[], whole: string): string {
  const told = mistakes.slice(0, MOST).map((mistake) => `${mistake.pointer || whole}: ${mistake.message}`);
  const more = mistakes.length - told.length;
  return told.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
