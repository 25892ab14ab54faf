/** A tool's schema as each provider takes it. */

import { encodeJson } from "../json.js";
import { native, type Refusal } from "./native.js";

/** Whose interface a schema is rendered for; `openai` is its strict mode. */
export type Provider = "openai" | "anthropic" | "google" | "mistral";

/** What is known beside the schema. */
export interface SchemaOptions {
  /** The name of the tool, which is checked too. */
  readonly name?: string;
}

/** One change of a schema, so that nothing is dropped in silence. */
export interface Note {
  /** What was done: `typed`, `inlined`, `required`, `taken_off` and so on. */
  readonly kind: string;
  /** Where, as a JSON pointer into the schema that was given. */
  readonly pointer: string;
  /** A sentence for the author of the tool. */
  readonly text: string;
}

/** A schema that a provider takes, and what was changed for that. */
export interface Rendered {
  /** The schema. */
  readonly schema: { readonly [keyword: string]: unknown };
  /** The schema as JSON text. Its bytes are the same for the same schema. */
  readonly json: string;
  /** Every change; empty where the schema says what it said before. */
  readonly notes: readonly Note[];
}

/** A provider cannot be given a schema. Its message is a sentence for the author of the tool. */
export class UnrenderableError extends Error {
  /** What is in the way: `root_type`, `reference`, `recursion`, `free_form` and so on. */
  readonly reason: string;
  /** Where, as a JSON pointer; empty for the root and for a name. */
  readonly pointer: string;

  /** @internal */
  constructor({ text, kind, pointer }: Refusal) {
    super(text);
    this.reason = kind;
    this.pointer = pointer;
  }
}
UnrenderableError.prototype.name = "UnrenderableError";

const PROVIDERS: readonly Provider[] = ["openai", "anthropic", "google", "mistral"];

/**
 * The JSON Schema of a tool's arguments as a provider takes it. Throws an {@link UnrenderableError} where it cannot be
 * given to it.
 *
 * Checks that the model does not see any more stay the agent's: hold the arguments to the schema of the tool.
 */
export function schemaFor(provider: Provider, schema: object, options: SchemaOptions = {}): Rendered {
  if (!PROVIDERS.includes(provider)) throw new TypeError(`there is no provider ${JSON.stringify(provider)}: it is one of ${PROVIDERS.join(", ")}`);
  const { rendered, refusal } = native.schemaFor(provider, encodeJson(schema, "schema"), options.name);
  if (refusal !== undefined) throw new UnrenderableError(refusal);
  return { schema: JSON.parse(rendered!.json), ...rendered! };
}

/**
 * The arguments without those members that are null, may be left out by the tool's own schema, and may not be null by
 * it: in its strict mode OpenAI has the model give every member, null in place of leaving one out.
 */
export function withoutNulls(schema: object, args: object): { [name: string]: unknown } {
  return JSON.parse(native.withoutNulls(encodeJson(schema, "schema"), encodeJson(args, "args"))) as { [name: string]: unknown };
}
