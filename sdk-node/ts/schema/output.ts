/** What a tool says about its structured result, and how a result is held to it. */

import type { Caller } from "../definition.js";
import { toJsonSchema } from "./convert.js";
import { object } from "./input.js";
import type { FromSchema, JsonSchema } from "./json-schema.js";
import { isStandard, validate, wrongResult, type StandardSchema } from "./standard.js";

/** The value that a handler returns for an `output`. */
export type ValueOf<Output> = Output extends StandardSchema<infer Input>
  ? Input
  : Output extends JsonSchema
    ? FromSchema<Output>
    : never;

/** The structured result of a tool. */
export interface PreparedOutput {
  /** What the host sees. */
  readonly schema: JsonSchema;
  /**
   * What is sent of what the handler returned, or a promise of it; throws, or rejects, when it does
   * not match. Undefined for a JSON Schema, which is left to the compiler and the host.
   */
  readonly accept: ((value: unknown) => unknown) | undefined;
}

/** Prepares the `output` of a tool; `author` wrote it. Throws what to do about it. */
export function prepareOutput(output: unknown, author: Caller): PreparedOutput {
  if (!isStandard(output)) return { schema: object(output, "output"), accept: undefined };
  const schema = toJsonSchema(output, "output", author);
  return { schema, accept: (value) => validate(output, value, wrongResult) };
}
