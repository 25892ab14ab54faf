// Schemas of tools: what the model sees, what the handler gets, how wrong arguments are answered.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { DefinitionError, ToolError, ToolResult, type Schema, type ToolOptions } from "extline";
import * as v from "valibot";
import { z } from "zod";

const require = createRequire(import.meta.url);
const { prepareTool } = require("../dist/inside.js") as typeof import("../dist/inside.js");

const description = "A tool.";
type Options = ToolOptions<Schema | undefined, Schema | undefined>;

/** Stands for `ext.tool`. */
function tool(options: Partial<Options>) {
  return prepareTool("weather", { description, ...options } as ToolOptions<Schema, Schema>, tool);
}

/** The schema that the model sees. */
function schemaOf(options: Partial<Options>): unknown {
  return JSON.parse(JSON.stringify(tool(options).frame.schema));
}

/** What the handler gets of arguments. */
async function accept(options: Partial<Options>, text: string): Promise<unknown> {
  const { accept } = tool(options);
  const args: unknown = JSON.parse(text);
  return accept ? accept(args, () => text) : args;
}

/** How arguments are refused. */
async function refusal(options: Partial<Options>, text: string): Promise<[unknown, string]> {
  const error: unknown = await accept(options, text).then(
    (args) => assert.fail(`${JSON.stringify(args)} was accepted`),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ToolError, String(error));
  assert.equal(error.kind, "validation");
  return [error.field, error.message];
}

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

test("every library says its JSON Schema, without the dialect that is meant anyway", () => {
  assert.deepEqual(schemaOf({ input: z.object({ city: z.string() }) }), CITY);
  assert.deepEqual(schemaOf({ input: v.object({ city: v.string() }) }), CITY);
  assert.deepEqual(schemaOf({ input: toStandardJsonSchema(v.object({ city: v.string() })) }), CITY);
  assert.deepEqual(schemaOf({ input: type({ city: "string" }) }), CITY);
  assert.deepEqual(schemaOf({ input: CITY as Schema }), CITY);
});

test("the schema of arguments is that of what goes in", async () => {
  const input = z.object({ n: z.string().transform(Number), units: z.enum(["c", "f"]).default("c") });
  assert.deepEqual(schemaOf({ input }), {
    type: "object",
    properties: { n: { type: "string" }, units: { type: "string", enum: ["c", "f"], default: "c" } },
    required: ["n"],
  });
  assert.deepEqual(await accept({ input }, '{"n":"5"}'), { n: 5, units: "c" });
});

test("the defaults and transforms of each library apply", async () => {
  const valibot = v.object({ n: v.optional(v.number(), 1), s: v.pipe(v.string(), v.minLength(2), v.trim(), v.check((s) => s !== "b")) });
  assert.deepEqual(schemaOf({ input: valibot }), {
    type: "object",
    properties: { n: { type: "number", default: 1 }, s: { type: "string", minLength: 2 } },
    required: ["s"],
  });
  assert.deepEqual(await accept({ input: valibot }, '{"s":" a "}'), { n: 1, s: "a" });
  const arktype = type({ n: "number = 1", s: "string.trim" });
  assert.deepEqual(await accept({ input: arktype }, '{"s":" a "}'), { n: 1, s: "a" });
});

test("a check that takes its time is waited for", async () => {
  const known = async (city: string) => (await Promise.resolve(city)) === "Bonn";
  const zod = z.object({ city: z.string().refine(known, "no such city") });
  assert.deepEqual(await accept({ input: zod }, '{"city":"Bonn"}'), { city: "Bonn" });
  assert.deepEqual(await refusal({ input: zod }, '{"city":"Ys"}'), ["/city", "invalid arguments: /city: no such city"]);
  const valibot = v.objectAsync({ city: v.pipeAsync(v.string(), v.checkAsync(known, "no such city")) });
  assert.deepEqual(await refusal({ input: valibot }, '{"city":"Ys"}'), [
    "/city",
    "invalid arguments: /city: no such city",
  ]);
});

test("what fails in a check of the author's is no fault of the model's", async () => {
  const input = z.object({
    city: z.string().refine(() => {
      throw new RangeError("mine");
    }),
  });
  await assert.rejects(accept({ input }, '{"city":"Bonn"}'), { name: "RangeError", message: "mine" });
});

test("wrong arguments are answered with the pointer of the offending member", async () => {
  const place = { zod: z.object({ x: z.number() }), valibot: v.object({ x: v.number() }), arktype: type({ x: "number" }) };
  const inputs = {
    zod: z.strictObject({ city: z.string(), "a/b": z.array(place.zod).optional() }),
    valibot: v.strictObject({ city: v.string(), "a/b": v.optional(v.array(place.valibot)) }),
    arktype: type({ city: "string", "a/b?": place.arktype.array(), "+": "reject" }),
  };
  for (const [library, input] of Object.entries(inputs)) {
    const field = async (text: string) => (await refusal({ input }, text))[0];
    assert.equal(await field("{}"), "/city", library);
    assert.equal(await field('{"city":5}'), "/city", library);
    assert.equal(await field('{"city":"Bonn","x":1}'), "/x", library);
    assert.equal(await field('{"city":"Bonn","a/b":[{"x":1},{"x":"1"}]}'), "/a~1b/1/x", library);
  }
});

test("the text names every mistake, up to five", async () => {
  const input = z.strictObject({ a: z.string(), b: z.union([z.string(), z.object({ n: z.number() })]) });
  assert.deepEqual(await refusal({ input }, '{"b":{},"c":1}'), [
    "/a",
    "invalid arguments: /a: Invalid input: expected string, received undefined; " +
      "/b: Invalid input: Invalid input: expected string, received object, or /n: Invalid input: expected number, received undefined; " +
      "/c: not allowed",
  ]);
  const many = z.object(Object.fromEntries([..."abcdefg"].map((name) => [name, z.boolean()])));
  const [, text] = await refusal({ input: many }, "{}");
  assert.match(text, /\/e: [^;]*; and 2 more$/);
  assert.deepEqual(await refusal({ input: z.object({}).refine(() => false, "never") }, "{}"), [
    "",
    "invalid arguments: the arguments: never",
  ]);
});

test("a union of objects says that it is one", () => {
  const input = z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]);
  assert.equal((schemaOf({ input }) as { type: string }).type, "object");
  assert.deepEqual(Object.keys(schemaOf({ input: type({ a: "1" }).or({ b: "1" }) }) as object), ["type", "anyOf"]);
});

test("a plain JSON Schema stands as it is, and is checked natively", async () => {
  const input: Schema = { properties: {}, type: "object", $schema: "http://json-schema.org/draft-07/schema#", "x-own": [1] };
  assert.equal(JSON.stringify(tool({ input }).frame.schema), JSON.stringify(input));
  assert.equal(tool({ input }).checked, true);
  assert.equal(tool({ input }).accept, undefined);
  assert.equal(tool({ input: z.object({}) }).checked, false);
  assert.equal(tool({ schema: { type: "object" } }).checked, true);
  const nothing = tool({});
  assert.deepEqual(nothing.frame.schema, { type: "object", properties: {}, additionalProperties: false });
  assert.equal(nothing.checked, true);
});

test("a JSON Schema may be given for a library that cannot say it", async () => {
  const schema = { type: "object", properties: { at: { type: "string", format: "date-time" } } } as const;
  const input = z.object({ at: z.custom<Date>().optional() });
  assert.deepEqual(schemaOf({ input, schema }), schema);
  assert.equal(tool({ input, schema }).checked, false);
});

test("an integer that would be rounded is refused where a number is asked for", async () => {
  const n = "12345678901234567891";
  const inputs: Schema[] = [
    { type: "object", properties: { n: { type: "integer" } } },
    { type: "object", properties: { n: { type: ["number", "null"] } } },
    { type: "object", properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: { anyOf: [{ type: "null" }, { type: "number" }] } } },
    { type: "object", additionalProperties: { type: "number" } },
    z.object({ n: z.number() }),
    v.object({ n: v.number() }),
    type({ n: "number" }),
  ];
  const message = `invalid arguments: /n: ${n} is more than can be held exactly: integers end at 9007199254740991 (2^53 - 1)`;
  for (const input of inputs) {
    assert.deepEqual(await refusal({ input }, `{"n":${n}}`), ["/n", message]);
    assert.deepEqual(await accept({ input }, '{"n":9007199254740991}'), { n: 9007199254740991 });
    // Exact by chance, written as a fraction, or in a text.
    assert.deepEqual(await accept({ input }, '{"n":9007199254740994}'), { n: 9007199254740994 });
    assert.deepEqual(await accept({ input }, '{"n":1e300}'), { n: 1e300 });
    assert.deepEqual(await accept({ input }, '{"n":0.30000000000000004}'), { n: 0.30000000000000004 });
  }
  const nested: Schema = {
    type: "object",
    properties: { "a/b": { type: "array", items: { type: "integer" }, prefixItems: [{ type: "string" }] } },
  };
  const text = `{"a/b":["${n}",1,-${n}]}`;
  assert.deepEqual((await refusal({ input: nested }, text))[0], "/a~1b/2");
  assert.equal((await refusal({ input: inputs[0]! }, '{"n":1e400}'))[0], "/n");
  assert.match((await refusal({ input: inputs[0]! }, `{"n":1${"0".repeat(400)}}`))[1], /\/n: 10{39}\.\.\. is more/);
});

test("where no number is asked for it is rounded, as JSON.parse does", async () => {
  const n = "12345678901234567891";
  const inputs: Schema[] = [
    { type: "object" },
    { type: "object", properties: { n: {}, other: { type: "number" } } },
    z.object({ n: z.unknown(), other: z.number().optional() }),
  ];
  for (const input of inputs) assert.deepEqual(await accept({ input }, `{"n":${n}}`), { n: Number(n) });
});

test("what a tool declares has the names of the wire", () => {
  const { frame } = tool({
    label: "Weather",
    timeoutMs: 20_000,
    readOnly: true,
    destructive: false,
    openWorld: undefined,
    sequential: true,
    approval: { gated: true, tier: "read", key: "all", reason: "it is a test" },
    namespace: "sky",
    exposure: "deferred",
    pure: true,
    strict: true,
    interactive: true,
    required: true,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(frame)), {
    type: "register_tool",
    name: "weather",
    description,
    schema: { type: "object", properties: {}, additionalProperties: false },
    label: "Weather",
    timeout_ms: 20_000,
    annotations: { read_only: true, destructive: false },
    execution: "sequential",
    approval: { gated: true, tier: "read", key: "all", reason: "it is a test" },
    namespace: "sky",
    exposure: "deferred",
    pure: true,
    strict: true,
    interactive: true,
  });
  const { approval } = tool({ gated: true, approval: { key: "{path}" } }).frame;
  assert.deepEqual(approval, { key: "{path}", gated: true });
  assert.deepEqual(tool({ gated: true }).frame.approval, { gated: true });
  assert.equal(tool({ gated: false }).frame.approval, undefined);
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(tool({}).frame)) as object), ["type", "name", "description", "schema"]);
});

test("with an output, whatever is returned is its value", async () => {
  const output = z.object({ degrees: z.number(), unit: z.string().default("c") });
  const prepared = tool({ output });
  assert.deepEqual((prepared.frame.output_schema as { required: unknown }).required, ["degrees", "unit"]);
  assert.deepEqual(await prepared.answer({ degrees: 16, more: 1 }), { form: "value", text: '{"degrees":16,"unit":"c"}' });
  assert.deepEqual(await prepared.answer(new ToolResult("16°C", { structured: { degrees: 16 } })), {
    form: "members",
    text: '{"content":[{"type":"text","text":"16°C"}],"structured_content":{"degrees":16,"unit":"c"}}',
  });
  assert.deepEqual(await prepared.answer(new ToolResult("none", { isError: true })), {
    form: "members",
    text: '{"content":[{"type":"text","text":"none"}],"is_error":true}',
  });
  assert.throws(() => prepared.answer("16"), {
    name: "TypeError",
    message: "its result does not match its output schema: the result: Invalid input: expected object, received string",
  });
  const list = tool({ output: v.array(v.string()) });
  assert.deepEqual(await list.answer(["a", "b"]), { form: "value", text: '["a","b"]' });
  const plain = tool({ output: { type: "array", items: { type: "string" } } });
  assert.deepEqual(await plain.answer(["a"]), { form: "value", text: '["a"]' });
  const later = tool({ output: z.object({ n: z.number().refine(async (n) => n > 0, "too small") }) });
  assert.deepEqual(await later.answer({ n: 1 }), { form: "value", text: '{"n":1}' });
  await assert.rejects(async () => later.answer({ n: 0 }), { message: /\/n: too small$/ });
});

test("a mistake is told at the line of its author, with what to do", () => {
  const mistakes: [Partial<Options>, string][] = [
    [{ description: "" }, "say for the model what the tool does: { description: ... }"],
    [{ input: z.string() }, 'its input is of type "string"; the arguments of a tool are an object, so it must be of type "object"'],
    [{ input: { type: "array" } }, 'its input is of type "array"; the arguments of a tool are an object, so it must be of type "object"'],
    [{ input: "city" as never }, "its input is a string, and must be a JSON Schema or a schema of zod, valibot, arktype or the like"],
    [{ input: [] as never }, "its input is an array, and must be a JSON Schema or a schema of zod, valibot, arktype or the like"],
    [{ output: null as never }, "its output is null, and must be a JSON Schema or a schema of zod, valibot, arktype or the like"],
    [{ input: {}, schema: {} }, "its input is a JSON Schema already, so it takes no `schema`"],
    [
      { input: z.object({ at: z.date() }) },
      "zod makes no JSON Schema of its input: Date cannot be represented in JSON Schema; use another type there, or give the JSON Schema itself as `schema`",
    ],
    [
      { output: v.object({ at: v.date() }) },
      'valibot makes no JSON Schema of its output: The "date" schema cannot be converted to JSON Schema; use another type there, or give the JSON Schema as `output`',
    ],
    [{ parameters: {} } as never, "there is no option parameters: it is input"],
    [{ execute() {} } as never, "there is no option execute: it is the handler, behind the options"],
  ];
  for (const [options, message] of mistakes) {
    const line = Number(/:(\d+):\d+/.exec(new Error("here").stack!.split("\n")[1]!)![1]) + 1;
    const call = () => tool(options);
    const expected = `${fileURLToPath(import.meta.url)}:${line}: tool weather: ${message}`;
    assert.throws(call, (error) => {
      assert.ok(error instanceof DefinitionError && error instanceof TypeError);
      assert.equal(error.message, expected);
      assert.match(error.stack!.split("\n")[1]!, new RegExp(`at call .*:${line}:`));
      return true;
    });
  }
  assert.throws(() => tool({ descripton: "x" } as never), /there is no option descripton; there are label, /);
  assert.throws(() => prepareTool("weather", undefined as never, tool), /stands between its name and its handler$/);
});

test("a library that cannot say its schema is told what to install", () => {
  const other = { "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) } } as const;
  assert.throws(() => tool({ input: other }), /its input is a schema of other, which cannot say it as JSON Schema: give the JSON Schema as `schema`$/);
  assert.deepEqual(schemaOf({ input: other, schema: { type: "object" } }), { type: "object" });
  const old = { "~standard": { ...other["~standard"], vendor: "zod" } };
  assert.throws(() => tool({ input: old }), /which cannot say it as JSON Schema: npm install zod@latest \(4\.2 or newer\)$/);
});
