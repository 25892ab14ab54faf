/** The JSON Schema of a library's schema, by the means that the library has at run time. */

import type { Caller } from "../definition.js";
import type { JsonSchema } from "./json-schema.js";
import type { StandardSchema } from "./standard.js";

/** What goes into a schema, or what comes out of it. */
export type Side = "input" | "output";

/** The dialect that is asked for; `$schema` need not say it. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The Standard JSON Schema extension, and what libraries had before it. */
interface Convertible {
  readonly "~standard": {
    readonly jsonSchema?: Readonly<Record<Side, (options: { target: string }) => JsonSchema>>;
  };
  /** Of arktype. */
  readonly toJsonSchema?: () => JsonSchema;
}

interface ValibotToJsonSchema {
  toJsonSchema(
    schema: unknown,
    options: { target: string; typeMode: Side; overrideAction: (action: ValibotAction) => JsonSchema | undefined },
  ): JsonSchema;
}

/** One step of a pipe, what was made of those before it, and why it cannot be converted. */
interface ValibotAction {
  readonly valibotAction: { readonly kind: string };
  readonly jsonSchema: JsonSchema;
  readonly errors?: readonly string[];
}

/** What its author has to do for a library that does not come with a conversion. */
const ADVICE: Readonly<Record<string, string>> = {
  valibot: "npm install @valibot/to-json-schema",
  zod: "npm install zod@latest (4.2 or newer)",
  arktype: "npm install arktype@latest",
};

/**
 * The JSON Schema of one side of a schema. Packages are looked for from the file of its `author`.
 * Throws an error that says what to do, when the library cannot convert it.
 */
export function toJsonSchema(schema: StandardSchema, side: Side, author: Caller): JsonSchema {
  const { $schema, ...rest } = converted(schema, side, author);
  return $schema === undefined || $schema === DIALECT ? rest : { $schema, ...rest };
}

function converted(schema: StandardSchema, side: Side, author: Caller): JsonSchema {
  const { vendor, jsonSchema } = (schema as Convertible & StandardSchema)["~standard"];
  const target = "draft-2020-12";
  try {
    if (jsonSchema) return jsonSchema[side]({ target });
    if (vendor === "arktype" && "toJsonSchema" in schema) return (schema as Convertible).toJsonSchema!();
    if (vendor === "valibot") {
      const library = installed<ValibotToJsonSchema>("@valibot/to-json-schema", author);
      // What a check or a transform does is valibot's to do; it need not stand in the schema.
      const overrideAction = ({ valibotAction, jsonSchema, errors }: ValibotAction) =>
        errors && (side === "input" || valibotAction.kind === "validation") ? jsonSchema : undefined;
      if (library) return library.toJsonSchema(schema, { target, typeMode: side, overrideAction });
    }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${vendor} makes no JSON Schema of its ${side}: ${said.replace(/\.$/, "")}; use another type there, or give the JSON Schema ` +
        (side === "input" ? "itself as `schema`" : "as `output`"),
    );
  }
  const advice = ADVICE[vendor] ?? (side === "input" ? "give the JSON Schema as `schema`" : "give the JSON Schema as `output`");
  throw new Error(`its ${side} is a schema of ${vendor}, which cannot say it as JSON Schema: ${advice}`);
}

/** A package, where the author's file finds it, else where the program does. */
function installed<Library>(name: string, author: Caller): Library | undefined {
  const { createRequire } = process.getBuiltinModule("node:module");
  const { isAbsolute } = process.getBuiltinModule("node:path");
  for (const from of [author.place?.file, process.argv[1]]) {
    if (from === undefined || !isAbsolute(from)) continue;
    try {
      return createRequire(from)(name) as Library;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}
