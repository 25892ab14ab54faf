// docs/typescript/tools-and-types.md: every row of its tables is executed, and the types in them are compiled.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { type } from "arktype";
import { Extension, image, RawJson, Response, ToolError, ToolResult } from "extline";
import { Host } from "extline/testing";
import * as v from "valibot";
import { z } from "zod";

const require = createRequire(import.meta.url);
const inside = require("../dist/inside.js") as typeof import("../dist/inside.js");
const { encodeFailure, encodeResult, prepareTool, toFailure } = inside;

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "../docs/typescript/tools-and-types.md"), "utf8");

/** The rows of the table under a heading, without their back quotes. */
function rows(heading: string): string[][] {
  const section = page.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`));
  const lines = section?.split("\n").filter((line) => line.startsWith("|")).slice(2) ?? [];
  assert.ok(lines.length > 0, `no table under ${heading}`);
  return lines.map((line) => {
    const cells = line.slice(1, -1).split(/(?<!\\)\|/);
    return cells.map((cell) => cell.trim().replaceAll("\\|", "|").replace(/^`(.*)`$/, "$1").replaceAll("\\`", "`").replaceAll("<br>", "\n"));
  });
}

const ring: Record<string, unknown> = {};
ring.self = ring;
const names = { z, v, type, image, RawJson, Response, ToolError, ToolResult, ring };

/** The value of an expression of the page. */
function value(expression: string): never {
  return new Function(...Object.keys(names), `return (${expression});`)(...Object.values(names)) as never;
}

/** Where the page leaves something out. */
function assertSchema(schema: unknown, shown: string): void {
  const text = JSON.stringify(schema).replace(/("pattern":)"(?:[^"\\]|\\.)*"/g, shown.includes("...") ? '$1"..."' : "$&");
  assert.deepEqual(JSON.parse(text), JSON.parse(shown));
}

function tool(input: unknown) {
  return prepareTool("weather", { description: "A tool.", input: input as never }, tool);
}

/** The answer of a running tool that gives its arguments back: it is the native half that checks them. */
async function called(input: unknown, text: string) {
  const ext = new Extension("rows").tool("weather", { description: "A tool.", input: input as never }, (args) => ({ args }));
  await using host = await Host.start(ext);
  return await host.call("weather", JSON.parse(text) as object);
}

/** What the handler gets of arguments. */
async function accepted(input: unknown, text: string): Promise<unknown> {
  const { accept } = tool(input);
  return accept ? accept(JSON.parse(text), () => text) : (JSON.parse(text) as unknown);
}

const wholes = {
  zod: (member: string) => `z.object({ value: ${member} })`,
  valibot: (member: string) => `v.object({ value: ${member} })`,
  arktype: (member: string) => `type({ value: ${member} })`,
};

for (const [library, whole] of Object.entries(wholes)) {
  for (const [member, schema, json, got] of rows(library) as [string, string, string, string][]) {
    test(`${library}: ${member}`, async () => {
      const input: unknown = value(whole(member));
      const { properties } = tool(input).frame.schema as { properties: Record<string, unknown> };
      assertSchema(properties.value, schema);
      const args = json === "" ? "{}" : `{"value":${json}}`;
      assert.deepEqual(((await accepted(input, args)) as { value: unknown }).value, value(got));
    });
  }
}

const ofMember = (member: string) => `{ type: "object", properties: { value: ${member} }, required: ["value"] }`;

for (const [member, json] of rows("JSON Schema") as [string, string][]) {
  test(`JSON Schema: ${member}`, async () => {
    const text = `{"value":${json}}`;
    const answer = await called(value(ofMember(member)), text);
    assert.deepEqual(answer.value, { args: JSON.parse(text) as unknown }, answer.text);
  });
}

test("the types of the tables are those that the compiler finds", () => {
  const inputs = Object.entries(wholes).flatMap(([library, whole]) =>
    rows(library).map((row) => [whole(row[0]!), row.at(-1)!] as const),
  );
  const schemas = rows("JSON Schema").map((row) => [`json(${ofMember(row[0]!)})`, row.at(-1)!] as const);
  const lines = [...inputs, ...schemas].map(
    ([input, its], at) => `const row${at} = ${input};\nsame<ArgsOf<typeof row${at}>["value"], ${its}>(true);`,
  );
  const folder = join(root, "build/rows");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "rows.mts"),
    `import type { ArgsOf } from "extline";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(same: Equal<A, B>): void;
declare function json<const Schema>(schema: Schema): Schema;
${lines.join("\n")}
`,
  );
  const options = { rootDir: ".", noEmit: true, noUnusedLocals: false, skipLibCheck: true };
  const config = { extends: "../../tsconfig.json", compilerOptions: options, files: ["rows.mts"], include: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail((error as { stdout: string }).stdout);
  }
  assert.ok(lines.length > 40);
});

for (const [input, args, field, text] of rows("Wrong arguments") as [string, string, string, string][]) {
  test(`refused: ${args} for ${input}`, async () => {
    const { checked } = tool(value(input));
    if (checked) {
      const answer = await called(value(input), args);
      assert.deepEqual([answer.kind, answer.field, answer.text], ["validation", field, text]);
    } else {
      await assert.rejects(accepted(value(input), args), { kind: "validation", field, message: text });
    }
  });
}

for (const [returned, content, structured] of rows("What a handler returns") as [string, string, string][]) {
  test(`returned: ${returned}`, () => {
    const { form, text } = encodeResult(value(returned));
    const block = [{ type: "text", text }];
    const answer = form === "members" ? (JSON.parse(text) as Record<string, unknown>) : { content: block };
    if (form === "value") answer.structured_content = JSON.parse(text);
    assert.deepEqual(answer.content, JSON.parse(content));
    assert.deepEqual(answer.structured_content, structured === "" ? undefined : JSON.parse(structured));
  });
}

for (const [returned, text] of rows("Results that are refused") as [string, string][]) {
  test(`refused: ${returned}`, () => {
    assert.throws(() => encodeResult(value(returned)), { name: "TypeError", message: text });
  });
}

for (const [expression, written, refused] of rows("What JSON does not hold") as [string, string, string][]) {
  test(`JSON: ${expression}`, () => {
    const encode = () => {
      const { form, text } = encodeResult({ value: value(expression) });
      assert.equal(form, "value");
      // The native half repairs what cannot be on the wire.
      return text.replace("\\ud83d", "\ufffd");
    };
    if (refused !== "") assert.throws(encode, { name: "TypeError", message: `/value${refused}` });
    else assert.equal(encode(), `{"value":${written}}`);
  });
}

for (const [thrown, kind, text] of rows("What a handler throws") as [string, string, string][]) {
  test(`thrown: ${thrown}`, () => {
    const failure = toFailure(value(thrown), "tool weather", () => {});
    assert.equal(failure.kind, kind);
    const answer = JSON.parse(encodeFailure(failure).text) as { content: { text: string }[] };
    assert.equal(answer.content[0]!.text, text);
  });
}
