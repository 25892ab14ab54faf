// The types that authors see. This is compiled, not run: what must not compile says so.
import { Extension, image, ToolResult } from "extline";
import type { ArgsOf, Context, FromSchema, JsonSchema, Update } from "extline";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(same: Equal<A, B>): void;

const ext = new Extension("types", "1.0.0");
const tool = ext.tool.bind(ext) as typeof ext.tool;

const description = "A tool.";

// zod: what the handler gets is what comes out of the schema.
tool("zod", { description, input: z.object({ city: z.string(), units: z.enum(["c", "f"]).default("c") }) }, (args, ctx) => {
  same<typeof args, { city: string; units: "c" | "f" }>(true);
  same<typeof ctx, Context>(true);
  // @ts-expect-error: no such member
  args.town;
  return args.city;
});
tool("transform", { description, input: z.object({ at: z.string().transform((text) => new Date(text)) }) }, ({ at }) => {
  same<typeof at, Date>(true);
  return at.toISOString();
});

// valibot and arktype.
tool("valibot", { description, input: v.object({ city: v.string(), n: v.optional(v.number(), 1) }) }, (args) => {
  same<typeof args, { city: string; n: number }>(true);
  // @ts-expect-error: a string has no such method
  return args.city.toFixed();
});
tool("arktype", { description, input: type({ city: "string", "n?": "number" }) }, ({ city, n }) => {
  same<typeof city, string>(true);
  same<typeof n, number | undefined>(true);
  return city;
});

// Plain JSON Schema, as it stands.
tool(
  "plain",
  {
    description,
    input: {
      type: "object",
      properties: {
        city: { type: "string" },
        units: { enum: ["c", "f"] },
        days: { type: ["integer", "null"] },
        tags: { type: "array", items: { type: "string" } },
        at: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
      },
      required: ["city", "at"],
    },
  },
  (args) => {
    same<
      typeof args,
      { city: string; units?: "c" | "f"; days?: number | null; tags?: string[]; at: { x: number } }
    >(true);
    // @ts-expect-error: it may be missing
    args.tags.length;
    return [args.city];
  },
);
// A schema whose type the compiler has lost.
declare const loaded: JsonSchema;
tool("loaded", { description, input: loaded }, (args) => {
  same<typeof args, { [name: string]: unknown }>(true);
  return args.anything;
});
tool("free", { description, input: { type: "object" } }, (args) => {
  same<typeof args, { [name: string]: unknown }>(true);
});
// @ts-expect-error: no type is called so
tool("misspelt", { description, input: { type: "objekt" } }, () => "");
// @ts-expect-error: neither a schema nor a JSON Schema
tool("text", { description, input: "string" }, () => "");

// The members of an object are no schema: `z.object({ ... })` is.
// @ts-expect-error: as the MCP SDK has it
tool("shape", { description, input: { city: z.string() } }, () => "");
// @ts-expect-error: of valibot
tool("shape", { description, input: { city: v.string() } }, () => "");
// @ts-expect-error: neither as output
tool("shape", { description, output: { city: z.string() } }, () => ({ city: "" }));

// Without an input there is nothing to take.
tool("nothing", { description }, (args) => {
  // @ts-expect-error: no arguments
  args.city;
});

// Options.
// @ts-expect-error: the model has to be told what it does
tool("undescribed", {}, () => "");
// @ts-expect-error: no such option
tool("option", { description, parameters: {} }, () => "");
// @ts-expect-error: no such exposure
tool("exposure", { description, exposure: "hidden" }, () => "");
tool("gated", { description, input: z.object({ city: z.string() }), gated: (args, ctx) => {
  same<typeof args, { city: string }>(true);
  same<typeof ctx, Context>(true);
  return args.city === "Rome" ? false : { policy: "prompt", reason: args.city, details: ["far away"] };
} }, (args) => args.city);
tool("later", { description, gated: async () => true }, () => "");
// @ts-expect-error: neither a boolean nor more
tool("gated", { description, gated: () => "yes" }, () => "");
// @ts-expect-error: no such policy
tool("policy", { description, gated: () => ({ policy: "maybe" }) }, () => "");
// @ts-expect-error: no such tier
tool("tier", { description, approval: { gated: true, tier: "some" } }, () => "");

// Results.
tool("results", { description }, async () => {
  const results = ["text", 1, 2n, true, null, undefined, { a: 1 }, ["a", image("x", "image/png")], Buffer.from("x")] as const;
  return results[0];
});
tool("blocks", { description }, () => [image("x", "image/png"), "text", { type: "text", text: "as MCP" }]);
tool("result", { description }, () => new ToolResult("text", { details: { a: 1 }, activate: ["b"] }));
tool("fetched", { description }, async () => (await fetch("https://example.com")).json());
// @ts-expect-error: a move is no effect
tool("effect", { description }, () => new ToolResult("", { effects: [{ kind: "file", op: "move", path: "a" }] }));
// @ts-expect-error: no such trust
tool("trust", { description }, () => new ToolResult("", { trust: "some" }));
tool("updates", { description }, async function* () {
  yield "reading";
  yield { message: "reading", done: 1, total: 2 } satisfies Update;
  return "read";
});

// With an output the result is its value.
const report = z.object({ degrees: z.number(), fog: z.boolean().default(false) });
tool("output", { description, output: report }, () => ({ degrees: 16 }));
tool("output later", { description, output: report }, async () => ({ degrees: 16, fog: true }));
tool("output steps", { description, output: report }, async function* () {
  yield "reading";
  return { degrees: 16 };
});
tool("output more", { description, output: report }, () => new ToolResult("16°C", { structured: { degrees: 16 } }));
// @ts-expect-error: an update says how the call stands
tool("output yields", { description, output: report }, async function* () {
  yield 5;
  return { degrees: 16 };
});
// @ts-expect-error: degrees are a number
tool("output wrong", { description, output: report }, () => ({ degrees: "16" }));
// @ts-expect-error: a text is not what was declared
tool("output text", { description, output: report }, async () => "16");
// @ts-expect-error: nor within a result
tool("output within", { description, output: report }, () => new ToolResult("16°C", { structured: { degrees: "16" } }));
tool(
  "output plain",
  { description, output: { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] } },
  () => ({ degrees: 16 }),
);
tool(
  "output plain wrong",
  { description, output: { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] } },
  // @ts-expect-error: missing
  () => ({}),
);

// What a JSON Schema says.
same<FromSchema<true>, unknown>(true);
same<FromSchema<false>, never>(true);
same<FromSchema<{ const: "a" }>, "a">(true);
same<FromSchema<{ enum: readonly [1, "a", null] }>, 1 | "a" | null>(true);
same<FromSchema<{ anyOf: readonly [{ type: "string" }, { type: "null" }] }>, string | null>(true);
same<FromSchema<{ oneOf: readonly [{ type: "string" }, { type: "integer" }] }>, string | number>(true);
same<FromSchema<{ type: "array" }>, unknown[]>(true);
same<FromSchema<{ type: "array"; prefixItems: readonly [{ type: "string" }]; items: false }>, [string]>(true);
same<FromSchema<{ type: "array"; prefixItems: readonly [{ type: "string" }]; items: { type: "null" } }>, [string, ...null[]]>(true);
same<FromSchema<{ type: "object"; additionalProperties: { type: "number" } }>, { [name: string]: number }>(true);
same<FromSchema<{ type: "object"; additionalProperties: false }>, { [name: string]: unknown }>(true);
same<FromSchema<{ not: { type: "string" } }>, unknown>(true);
same<
  FromSchema<{
    type: "object";
    properties: { a: { $ref: "#/$defs/a" }; b: { $ref: "#/$defs/nowhere" } };
    required: readonly ["a", "b"];
    $defs: { a: { type: "boolean" } };
  }>,
  { a: boolean; b: unknown }
>(true);
type Both = FromSchema<{
  allOf: readonly [
    { type: "object"; properties: { a: { type: "string" } }; required: readonly ["a"] },
    { type: "object"; properties: { b: { type: "string" } } },
  ];
}>;
const both: Both = { a: "a" };
// @ts-expect-error: a is missing
const one: Both = { b: "b" };
type Tree = FromSchema<{
  type: "object";
  properties: { name: { type: "string" }; kids: { type: "array"; items: { $ref: "#" } } };
  required: readonly ["name"];
}>;
const tree: Tree = { name: "a", kids: [{ name: "b", kids: [] }] };
// @ts-expect-error: a name is a string
const wrong: Tree = { name: "a", kids: [{ name: 1 }] };

same<ArgsOf<undefined>, object>(true);
export { both, one, tree, wrong };
