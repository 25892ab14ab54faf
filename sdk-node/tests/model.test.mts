// extline/model: what a model wrote.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { type Call, extract, Extractor, repair, RepairError, schemaFor, UnrenderableError, withoutNulls } from "extline/model";
import { PACKAGE, ROOT } from "./repository.mjs";

// In parts, since no file of the repository holds a call (model/tests/phantoms.rs).
const HERMES = 'I look.\n<tool_' + 'call>{"name": "read", "arguments": {"path": "a",}}</tool_' + "call>";

test("valid JSON needs no fix, and keeps its digits as text", () => {
  const repaired = repair('{"a": [1, 2.5, null, "ä"], "id": 12345678901234567890}');
  assert.deepEqual((repaired.value as { a: unknown }).a, [1, 2.5, null, "ä"]);
  assert.deepEqual([repaired.fixes, repaired.unlisted, repaired.truncated], [[], 0, false]);
  assert.match(repaired.json, /12345678901234567890/);
});

test("what was changed is told with its place", () => {
  const { value, fixes } = repair("{'ä': 1,\n 'b': 2,}");
  assert.deepEqual(value, { ä: 1, b: 2 });
  assert.deepEqual(
    fixes.map((fix) => [fix.kind, fix.line, fix.column]),
    [["quotes", 1, 2], ["quotes", 2, 2], ["trailing_comma", 2, 8]],
  );
  const text = "line 2, column 8: the comma before a closing bracket was removed: ,";
  assert.deepEqual(fixes.at(-1), { kind: "trailing_comma", line: 2, column: 8, found: ",", text });
});

test("two values are refused with their place", () => {
  assert.throws(() => repair('{"a": 1}\n {"a": 2}'), (error) => {
    assert.ok(error instanceof RepairError && error instanceof Error);
    assert.deepEqual([error.name, error.kind, error.line, error.column], ["RepairError", "several_values", 2, 2]);
    assert.equal(error.message, "line 2, column 2: a second JSON value begins here; write exactly one");
    return true;
  });
});

test("each case of the corpus becomes what was meant", () => {
  const lines = readFileSync(join(ROOT, "model/corpus/broken.jsonl"), "utf8").trimEnd().split("\n");
  assert.ok(lines.length >= 300);
  for (const line of lines) {
    const { text, value, refused } = JSON.parse(line) as { text: string; value?: unknown; refused?: boolean };
    if (refused) assert.throws(() => repair(text), RepairError, text);
    else assert.deepEqual(repair(text).value, value, text);
  }
});

test("calls are found in a text", () => {
  const found = extract(HERMES, ["read", "write"]);
  const [call] = found.calls;
  const { fixes, ...rest } = call!;
  assert.deepEqual(rest, { name: "read", arguments: { path: "a" }, json: '{"path":"a"}', id: undefined, envelope: "hermes", truncated: false });
  assert.deepEqual(fixes.map((fix) => fix.kind), ["trailing_comma"]);
  const { calls, ...all } = found;
  assert.equal(calls.length, 1);
  assert.deepEqual(all, { remaining: "I look.", envelope: "hermes", repaired: true, truncated: false, refused: [] });
});

test("a tool that was not offered is refused, and a schema says what is text", () => {
  assert.deepEqual(extract(HERMES, ["write"]).refused, [{ envelope: "hermes", reason: "there is no tool read" }]);
  const text = "<function" + "=read><parameter=path>12</parameter></function>";
  const schema = { type: "object", properties: { path: { type: "string" } } };
  assert.deepEqual(extract(text, [{ name: "read", schema }]).calls[0]!.arguments, { path: "12" });
  assert.deepEqual(extract(text, [{ name: "read" }]).calls[0]!.arguments, { path: 12 });
});

test("calls are the same however the text comes", () => {
  for (const size of [1, 3, 1_000]) {
    const extractor = new Extractor(["read"]);
    const parts: (string | Call)[] = [];
    for (let at = 0; at < HERMES.length; at += size) parts.push(...extractor.push(HERMES.slice(at, at + size)));
    const finished = extractor.finish();
    parts.push(...finished.parts);
    assert.deepEqual(finished.found, extract(HERMES, ["read"]));
    assert.equal(parts.filter((part) => typeof part === "string").join("").trim(), "I look.");
    assert.deepEqual(parts.filter((part) => typeof part !== "string"), finished.found.calls);
    assert.throws(() => extractor.push("more"), /has ended; make another/);
    assert.throws(() => extractor.finish(), /has ended; make another/);
  }
});

test("a schema is rendered for a provider, or refused with a sentence", () => {
  const schema = { type: "object", properties: { city: { type: "string", format: "uri" } } };
  const { schema: made, json, notes } = schemaFor("google", schema, { name: "look" });
  assert.deepEqual(made, { type: "object", properties: { city: { type: "string" } } });
  assert.deepEqual(JSON.parse(json), made);
  assert.deepEqual(notes.map((note) => [note.kind, note.pointer]), [["taken_off", "/properties/city/format"]]);
  assert.throws(() => schemaFor("openai", { type: "array" }), (error) => {
    assert.ok(error instanceof UnrenderableError);
    assert.deepEqual([error.reason, error.pointer], ["root_type", "/type"]);
    return true;
  });
  assert.throws(() => schemaFor("openai", schema, { name: "look up" }), /takes no tool called "look up"/);
  assert.deepEqual(withoutNulls(schema, { city: null }), {});
});

test("mistakes of the caller are told in the caller's words", () => {
  assert.throws(() => repair(undefined as never), /^TypeError: text is undefined: give the text that the model wrote$/);
  assert.throws(() => extract(HERMES, "read"), /give an array of names, \["read"\]/);
  assert.throws(() => extract(HERMES, 1 as never), /offered is a number: give an array of names/);
  assert.throws(() => extract(HERMES, [{}] as never), /give its name, or \{ name, schema \}/);
  assert.throws(() => schemaFor("mistal" as never, {}), /it is one of openai, anthropic, google, mistral/);
});

test("the samples of the page hold", () => {
  const page = readFileSync(join(ROOT, "docs/typescript/model.md"), "utf8");
  const samples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample]) => sample!);
  assert.ok(samples.length >= 4, `${samples.length} samples`);
  for (const sample of samples) {
    const head = 'import assert from "node:assert/strict";\n';
    const ran = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", head + sample], { cwd: PACKAGE, encoding: "utf8" });
    assert.equal(ran.status, 0, `${sample}\n${ran.stderr}`);
  }
});

test("an agent that loads it keeps its stdin and stdout", () => {
  const program = 'import { repair } from "extline/model"; console.log(JSON.stringify(repair("{a: 1,}").value));';
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: PACKAGE, encoding: "utf8", input: "" });
  assert.equal(ran.stdout, '{"a":1}\n', ran.stderr);
  const required = createRequire(import.meta.url)("extline/model") as typeof import("extline/model");
  assert.equal(required.RepairError, RepairError);
});
