/** JSON Schema as authors write it, and the types that follow from it. */

/** The types that JSON Schema knows. */
export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** A JSON Schema (2020-12), as an object. Keywords that are not named here may stand in it too. */
export interface JsonSchema {
  /** The type of the value, or several. */
  readonly type?: JsonType | readonly JsonType[];
  /** What it is, for the model. */
  readonly description?: string;
  /** The only values allowed. */
  readonly enum?: readonly unknown[];
  /** The only value allowed. */
  readonly const?: unknown;
  /** The members of an object. */
  readonly properties?: { readonly [name: string]: JsonSchema | boolean };
  /** The members that must be there. */
  readonly required?: readonly string[];
  /** Members that `properties` does not name; false refuses them. */
  readonly additionalProperties?: JsonSchema | boolean;
  /** The items of an array. */
  readonly items?: JsonSchema | boolean;
  /** The first items of an array, each with its own schema. */
  readonly prefixItems?: readonly (JsonSchema | boolean)[];
  /** At least one of them matches. */
  readonly anyOf?: readonly (JsonSchema | boolean)[];
  /** Exactly one of them matches. */
  readonly oneOf?: readonly (JsonSchema | boolean)[];
  /** All of them match. */
  readonly allOf?: readonly (JsonSchema | boolean)[];
  /** A schema elsewhere in this one: `#/$defs/NAME`. */
  readonly $ref?: string;
  /** Schemas for `$ref`. */
  readonly $defs?: { readonly [name: string]: JsonSchema | boolean };
  /** What a host or form fills in; a handler does not get it by itself. */
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/**
 * The type of the values that a JSON Schema allows. What it cannot tell (`not`, `if`, a schema whose
 * type the compiler has lost) is `unknown`.
 *
 * @example
 * ```ts
 * const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
 * type City = FromSchema<typeof schema>; // { city: string }
 * ```
 */
export type FromSchema<Schema, Root = Schema> = Schema extends false
  ? never
  : Schema extends { readonly const: infer Value }
    ? Writable<Value>
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Writable<Value>
      : Schema extends { readonly $ref: infer Ref }
        ? Referenced<Ref, Root>
        : Schema extends { readonly anyOf: readonly (infer Any)[] }
          ? FromSchema<Any, Root>
          : Schema extends { readonly oneOf: readonly (infer One)[] }
            ? FromSchema<One, Root>
            : Schema extends { readonly allOf: infer All }
              ? FromAll<All, Root> & FromType<Schema, Root>
              : FromType<Schema, Root>;

type Referenced<Ref, Root> = Ref extends "#"
  ? FromSchema<Root, Root>
  : Ref extends `#/$defs/${infer Name}`
    ? Root extends { readonly $defs: { readonly [name in Name]: infer Schema } }
      ? FromSchema<Schema, Root>
      : unknown
    : unknown;

type FromAll<All, Root> = All extends readonly [infer First, ...infer Rest]
  ? FromSchema<First, Root> & FromAll<Rest, Root>
  : unknown;

type FromType<Schema, Root> = Schema extends { readonly type: readonly (infer Type)[] }
  ? OfType<Type, Schema, Root>
  : Schema extends { readonly type: infer Type }
    ? OfType<Type, Schema, Root>
    : unknown;

type OfType<Type, Schema, Root> = string extends Type
  ? unknown
  : JsonType extends Type
    ? unknown
    : Type extends "string"
      ? string
      : Type extends "number" | "integer"
        ? number
        : Type extends "boolean"
          ? boolean
          : Type extends "null"
            ? null
            : Type extends "array"
              ? FromArray<Schema, Root>
              : Type extends "object"
                ? FromObject<Schema, Root>
                : unknown;

type FromArray<Schema, Root> = Schema extends { readonly prefixItems: infer First }
  ? [...FromTuple<First, Root>, ...FromRest<Schema, Root>]
  : Schema extends { readonly items: infer Items }
    ? FromSchema<Items, Root>[]
    : unknown[];

type FromTuple<First, Root> = First extends readonly [infer Head, ...infer Tail]
  ? [FromSchema<Head, Root>, ...FromTuple<Tail, Root>]
  : [];

type FromRest<Schema, Root> = Schema extends { readonly items: infer Items }
  ? Items extends false
    ? []
    : FromSchema<Items, Root>[]
  : unknown[];

type FromObject<Schema, Root> = Schema extends { readonly properties: infer Members }
  ? Flat<
      { -readonly [Name in RequiredOf<Schema> & keyof Members]: FromSchema<Members[Name], Root> } & {
        -readonly [Name in Exclude<keyof Members, RequiredOf<Schema>>]?: FromSchema<Members[Name], Root>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Others }
    ? Others extends object
      ? { [name: string]: FromSchema<Others, Root> }
      : { [name: string]: unknown }
    : { [name: string]: unknown };

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** One object type, as it reads in an editor. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A value that a `const` type parameter made readonly. */
type Writable<Value> = Value extends readonly unknown[] | { readonly [name: string]: unknown }
  ? { -readonly [Name in keyof Value]: Writable<Value[Name]> }
  : Value;
