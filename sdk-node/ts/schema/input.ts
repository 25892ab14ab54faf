/** The arguments of a tool: the JSON Schema that the model sees, and what the handler gets. */

import type { Caller } from "../definition.js";
import type { FromSchema, JsonSchema } from "./json-schema.js";
import { toJsonSchema } from "./convert.js";
import { hasNumbers, roundedInteger } from "./integers.js";
import { isStandard, validate, wrongArgs, type StandardSchema } from "./standard.js";

/** How a library makes a schema of the members of an object. */
const OBJECTS: Readonly<Record<string, string>> = { zod: "z.object", valibot: "v.object", arktype: "type" };

/** Keywords of which a JSON Schema has one, unless it allows everything. */
const KEYWORDS = /^(?:type|properties|required|additionalProperties|patternProperties|enum|const|anyOf|oneOf|allOf|not|if|\$.+|description|title)$/;

/** What `input` and `output` take: a schema of a library, or a JSON Schema. */
export type Schema = StandardSchema | JsonSchema;

/** For the compiler: refuses the members of an object, as `{ city: z.string() }`, where its schema is meant. */
export type OneSchema<Given> = Given extends StandardSchema
  ? unknown
  : Given extends object
    ? true extends { [Name in keyof Given]: Given[Name] extends StandardSchema ? true : false }[keyof Given]
      ? "one schema, as z.object({ ... })"
      : unknown
    : unknown;

/** The arguments that a handler gets for an `input`. Without one there are none. */
export type ArgsOf<Input> = Input extends StandardSchema<unknown, infer Output>
  ? Output
  : Input extends JsonSchema
    ? unknown extends FromSchema<Input>
      ? { [name: string]: unknown }
      : FromSchema<Input>
    : object;

/** How the arguments of a tool are checked. */
export interface PreparedInput {
  /** What the model sees. */
  readonly schema: JsonSchema;
  /**
   * Whether the native half checks the arguments against the schema before the handler is called:
   * where no library does.
   */
  readonly checked: boolean;
  /**
   * What the handler gets, from the parsed arguments and their text; a promise of it where the
   * library needs one. Throws, or rejects with, a `ToolError` of kind `validation`. Undefined where
   * the handler gets the arguments as they were parsed.
   */
  readonly accept: ((args: unknown, text: () => string) => unknown) | undefined;
}

/** A tool without arguments. */
const NOTHING: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/**
 * Prepares what `input` and `schema` of a tool say. `author` wrote them. Throws an error that
 * says what to do about it.
 */
export function prepareInput(input: unknown, schema: unknown, author: Caller): PreparedInput {
  if (input === undefined && schema === undefined) return { schema: NOTHING, checked: true, accept: undefined };
  if (input !== undefined && !isStandard(input)) {
    if (schema !== undefined) throw new Error("its input is a JSON Schema already, so it takes no `schema`");
    return ofJsonSchema(object(input, "input"));
  }
  if (input === undefined) return ofJsonSchema(object(schema, "schema"));
  const shown = schema === undefined ? toJsonSchema(input, "input", author) : object(schema, "schema");
  // Several providers want it said at the root, where the union of a library does not.
  const whole = shown.type === undefined ? { type: "object" as const, ...shown } : shown;
  return ofStandard(input, ofObjects(whole));
}

function ofJsonSchema(schema: JsonSchema): PreparedInput {
  const refuseRounded = checkOf(schema);
  const accept = refuseRounded && ((args: unknown, text: () => string) => (refuseRounded(args, text), args));
  return { schema: ofObjects(schema), checked: true, accept };
}

function ofStandard(input: StandardSchema, schema: JsonSchema): PreparedInput {
  const refuseRounded = checkOf(schema);
  const accept = (args: unknown, text: () => string) => {
    refuseRounded?.(args, text);
    return validate(input, args, wrongArgs);
  };
  return { schema, checked: false, accept };
}

/** Refuses integers that were rounded; undefined where there are no numbers. */
function checkOf(schema: JsonSchema): ((args: unknown, text: () => string) => void) | undefined {
  if (!hasNumbers(schema)) return undefined;
  return (args, text) => {
    const mistake = roundedInteger(args, text, schema);
    if (mistake) throw wrongArgs([mistake]);
  };
}

/** Refuses a schema of anything else than objects. */
function ofObjects(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (type === undefined || [type].flat().includes("object")) return schema;
  const said = JSON.stringify(type);
  throw new Error(`its input is of type ${said}; the arguments of a tool are an object, so it must be of type "object"`);
}

/** A JSON Schema; `what` is the option that holds it. */
export function object(schema: unknown, what: string): JsonSchema {
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) {
    refuseShape(schema as JsonSchema, what);
    return schema as JsonSchema;
  }
  const said = schema === null ? "null" : Array.isArray(schema) ? "an array" : `a ${typeof schema}`;
  throw new Error(`its ${what} is ${said}, and must be a JSON Schema or a schema of zod, valibot, arktype or the like`);
}

/** Refuses the members of an object that stand where its schema should, as in `{ city: z.string() }`. */
function refuseShape(schema: JsonSchema, what: string): void {
  const members = Object.entries({ ...schema, ...(schema.properties as object | undefined) });
  const [name, member] = members.find(([, one]) => isStandard(one)) ?? [];
  if (member !== undefined) {
    const { vendor } = (member as StandardSchema)["~standard"];
    const made = OBJECTS[vendor] === undefined ? `an object schema of ${vendor}` : `${OBJECTS[vendor]}({ ${name}: ... })`;
    throw new Error(`its ${what} is an object with schemas of ${vendor} in it, and must be one schema: ${made}`);
  }
  const names = Object.keys(schema);
  if (names.length === 0 || names.some((one) => KEYWORDS.test(one))) return;
  throw new Error(
    `its ${what} has no keyword of JSON Schema: { type: "object", properties: { ${names[0]}: ... } } has members`,
  );
}
