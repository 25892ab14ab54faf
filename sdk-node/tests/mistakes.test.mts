// Mistakes of authors, each told at its line and in words that say what to write.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DefinitionError, Extension, Response } from "extline";
import { Host } from "extline/testing";
import * as v from "valibot";
import { z } from "zod";
import { Program, text } from "./program.mjs";

/** Fails unless it is refused at a line of this file. */
function refused(define: (ext: any) => unknown, says: RegExp): void {
  assert.throws(() => define(new Extension("mistaken", "1.0.0")), (error: Error) => {
    assert.ok(error instanceof DefinitionError, String(error));
    assert.match(error.message, /^\S*mistakes\.test\.mjs:\d+: /);
    assert.match(error.message, says);
    return true;
  });
}

const DESCRIPTION = { description: "x" };

test("an object of schemas is no schema, nor is one without a keyword", () => {
  const tool = (options: object) => (ext: any) => ext.tool("t", { ...DESCRIPTION, ...options }, () => "");
  refused(tool({ input: { city: z.string() } }), /tool t: its input is an object with schemas of zod in it, and must be one schema: z\.object\(\{ city: \.\.\. \}\)$/);
  refused(tool({ input: { city: v.string() } }), /must be one schema: v\.object\(\{ city: \.\.\. \}\)$/);
  refused(tool({ input: { type: "object", properties: { city: z.string() } } }), /must be one schema: z\.object/);
  refused(tool({ output: { city: z.string() } }), /its output is an object with schemas of zod in it/);
  refused(tool({ input: { city: { type: "string" } } }), /its input has no keyword of JSON Schema: \{ type: "object", properties: \{ city: \.\.\. \} \} has members$/);
});

test("options that are none of their set are refused", () => {
  const tool = (options: object) => (ext: any) => ext.tool("t", { ...DESCRIPTION, ...options }, () => "");
  refused(tool({ approval: { tier: "admin" } }), /tool t: its approval\.tier is "admin", and must be "read", "write" or "exec"$/);
  refused(tool({ approval: { gate: true } }), /there is no approval\.gate; there are gated, tier, key, reason$/);
  refused(tool({ gated: "yes" }), /its gated is "yes", and must be a boolean or a function$/);
  refused(tool({ approval: true }), /its approval is a boolean, and must be an object$/);
  refused(tool({ exposure: "hidden" }), /its exposure is "hidden", and must be "direct", "codemode", "deferred" or "model-only"$/);
  refused(tool({ timeoutMs: "5s" }), /its timeoutMs is "5s", and must be a positive number$/);
  refused(tool({ readOnly: "yes" }), /its readOnly is "yes", and must be a boolean$/);
});

test("events and points have the names that there are, unless another is meant", () => {
  refused((ext) => ext.on("turn_ended", () => {}), /event: there is no event "turn_ended": it is "session_start", .*; \{ unlisted: true \} as the last argument says that it is meant$/);
  refused((ext) => ext.intercept("tool_cal", () => {}), /point: there is no point "tool_cal": it is "tool_call", "turn_start", "assistant_message", "before_agent_start", "tool_result" or "user_prompt_submit"/);
  refused((ext) => ext.on(() => {}), /event: there is no event that is a function: it is "session_start"/);
  const ext = new Extension("mistaken").on("moon_phase", () => {}, { unlisted: true });
  ext.intercept("of_tomorrow", () => undefined, { unlisted: true });
});

test("a handler that is missing, or stands where other kits have it, is told with the right order", () => {
  const handler = () => "";
  refused((ext) => ext.tool("t", DESCRIPTION), /tool t: its handler is missing: ext\.tool\(name, options, handler\)$/);
  refused((ext) => ext.tool("t", { ...DESCRIPTION, execute: handler }), /its handler is missing; it stands in the options as execute: ext\.tool\(name, options, handler\)$/);
  refused((ext) => ext.tool({ name: "t", ...DESCRIPTION, execute: handler }), /tool: its name is an object, and must be a string: ext\.tool\(name, options, handler\)$/);
  refused((ext) => ext.tool("t", "x", { city: 1 }, handler), /tool t: its handler is an object, and must be a function: ext\.tool/);
  refused((ext) => ext.command("c", { description: "x", handler }), /command c: its handler is missing; it stands in the options as handler: ext\.command\(name, description, handler\)$/);
  refused((ext) => ext.command("c", handler), /command c: its handler is missing: ext\.command/);
  refused((ext) => ext.on("turn_end"), /event turn_end: its handler is missing: ext\.on\(event, handler\)$/);
  refused((ext) => ext.guard("g"), /guard g: its handler is missing: ext\.guard\(name, handler\)$/);
  refused((ext) => ext.panel("", () => {}), /panel: its name is empty, and must be a string/);
});

test("a panel shows texts", () => {
  const panel = (content: unknown) => () => Response.openPanel(content as never);
  assert.throws(panel({ id: "p", lines: "abc" }), { name: "TypeError", message: "the lines of a panel are an array of strings, and this is a string" });
  assert.throws(panel({ id: "p", lines: ["a", 1] }), { message: "the lines of a panel are strings, and line 1 is a number" });
  assert.throws(panel({ id: "p", text: "a" }), { message: "a panel has no text: it has id, title, lines, footer, view" });
  assert.throws(panel({}), { message: "the id of a panel is a string, and this is undefined" });
});

test("what is said has a text and a level, and what is not is told at its line", async () => {
  const said: [string, string][] = [
    ["ctx.log(5)", "log(message) takes a string, and this is a number"],
    ['ctx.log("x", "loud")', 'log has no level "loud": it is "debug", "info", "warn" or "error"'],
    ['ctx.log("x", "info", "path")', "log(message, level, fields) takes an object of fields, and this is a string"],
    ['ext.notify("x", "warning")', 'notify has no level "warning": it is "info", "success", "warn" or "error"'],
    ["return ctx.callTool(5)", "callTool(name, args) takes a name, and this is a number"],
    ['return ctx.callTool("read", "path")', "callTool(name, args) takes arguments as an object, and this is a string"],
    ["return ctx.request({})", "request(method, params) takes a name, and this is an object"],
    ["ext.submit({})", "submit(text) takes a string, and this is an object"],
    ['ctx.panel("p").render({ lines: "abc" })', "the lines of a panel are an array of strings, and this is a string"],
    ['(() => { throw ToolError.ofKind("bogus", "x"); })()', 'there is no kind of failure "bogus": it is'],
  ];
  const program = await Program.start(said.map(([line], at) => `ext.tool("t${at}", { description: "x" }, (_, ctx) => { ${line}; });`).join("\n"));
  for (const [at, [, message]] of said.entries()) {
    assert.ok(text(await program.call(`t${at}`)).includes(message), `${text(await program.call(`t${at}`))}\n${message}`);
  }
  // The first frame is the author's.
  await program.says(/tool t0 failed:\nTypeError: log\(message\) takes a string, and this is a number\n {4}at .*program-\d+\.mjs:4/);
});

test("half a surrogate pair is mended wherever it is said", async () => {
  const program = await Program.start(`
const odd = "a\\udcffb";
ext.tool("says", { description: "x" }, (_, ctx) => { ctx.log(odd); ctx.notify(odd); ctx.update(odd, { details: odd }); throw ToolError.notFound(odd, { hint: odd }); });
ext.tool("throws", { description: "x" }, () => { throw new Error(odd); });
ext.command("c", odd, () => { throw new Error(odd); });
ext.guard("g", (call) => call.block(odd));`);
  const mended = "a\ufffdb";
  const says = await program.call("says");
  assert.deepEqual([says.error, says.is_error], [{ kind: "not_found", message: mended, hint: mended }, true]);
  assert.equal(text(says), `${mended}\nhint: ${mended}`);
  const said = (type: string) => program.frames.find((frame) => frame.type === type)!;
  assert.equal(said("log").message, mended);
  assert.equal(said("notify").message, mended);
  assert.equal(said("register_command").description, mended);
  const { details, progress } = said("tool_update");
  assert.deepEqual([details, progress], [mended, { message: mended }]);
  assert.equal(text(await program.call("throws")), `tool throws failed: Error: ${mended}`);
  program.send({ type: "command_invoked", id: "c", name: "c", args: "" }, { type: "event_intercept", id: "i", event: "tool_call", tool_name: "x", tool_args: {} });
  assert.equal((await program.next("command_response")).error, mended);
  assert.equal((await program.next("event_intercept_response")).reason, mended);
});

test("what a handler returned is told with the line that registered it, without a stack of this package", async () => {
  const program = await Program.start(`
ext.tool("lossy", { description: "x" }, () => ({ m: new Map([[1, 2]]) }));
ext.tool("fetched", { description: "x" }, async () => new globalThis.Response("x"));
ext.tool("yields", { description: "x" }, async function* () { yield 5; return "x"; });
ext.command("odd", "x", () => 7);`);
  assert.equal(text(await program.call("lossy")), "tool lossy failed: it returned what cannot be sent: /m: a Map is no JSON value: Object.fromEntries(map) is one");
  assert.match(text(await program.call("fetched")), /it returned what cannot be sent: a Response of fetch is no JSON value: return await response\.text\(\), or \.json\(\)$/);
  assert.match(text(await program.call("yields")), /tool yields failed: it yielded what is no update: /);
  program.send({ type: "command_invoked", id: "c", name: "odd", args: "" });
  assert.match((await program.next("command_response")).error, /a command returns a Response, a string or nothing, and this is a number/);
  await program.says(/tool lossy \(.*program-\d+\.mjs:5\) failed: it returned/);
  await program.says(/tool fetched \(.*program-\d+\.mjs:6\) failed: it returned/);
  await program.says(/command odd \(.*program-\d+\.mjs:8\) failed: a command returns/);
  assert.doesNotMatch(program.stderr, /^ {4}at /m);
});

test("a context that is used after its handler has ended is told at the line", async () => {
  const program = await Program.start(`
ext.tool("kept", { description: "x" }, (_, ctx) => {
  setTimeout(() => ctx.update("late"), 1);
  setTimeout(() => ctx.log("a line of the log belongs to no call"), 2);
  setTimeout(async () => { await ctx.callTool("read"); }, 3);
  return "done";
});`);
  assert.equal(text(await program.call("kept")), "done");
  await program.says("ctx.update belongs to a call, and its handler has ended: is an `await` missing?\n    at ");
  await program.says("ctx.callTool belongs to a call, and its handler has ended: is an `await` missing?; ext.callTool belongs to no call");
  await program.next("log", { message: "a line of the log belongs to no call" });
});

test("what is registered or said after run() is told at the line", async () => {
  const program = await Program.run(`import { Extension } from "extline";
const ext = new Extension("late", "1.0.0");
let kept;
ext.tool("t", { description: "x" }, (_, ctx) => { kept = ctx; return "x"; });
await ext.run(import.meta);
const tell = (late) => { try { late(); } catch (error) { console.error(error.name + ": " + error.message); } };
tell(() => ext.tool("late", { description: "x" }, () => "x"));
tell(() => ext.on("turn_end", () => {}));
tell(() => kept.notify("x"));
tell(() => kept.panel("p"));
tell(() => ext.notify("x"));
`);
  await program.call("t");
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
  const after = "it is registered after run\\(\\), which returns when the extension has ended: register it before run\\(\\)";
  assert.match(program.stderr, new RegExp(`DefinitionError: \\S+program-\\d+\\.mjs:7: tool late: ${after}`));
  assert.match(program.stderr, new RegExp(`DefinitionError: \\S+program-\\d+\\.mjs:8: event turn_end: ${after}`));
  for (const what of ["ctx.notify", "ctx.panel", "notify"]) {
    assert.ok(program.stderr.includes(`Error: ${what} needs a host, and the host has ended the extension`), program.stderr);
  }
});

test("what is registered after run() in a module under test is refused too, as a host would never see it", async () => {
  const ext = new Extension("module", "1.0.0");
  // Another module is the program here.
  await ext.run({ ...import.meta, url: import.meta.resolve("./program.mjs") });
  refused(() => ext.tool("late", DESCRIPTION, () => ""), /tool late: it is registered after run\(\)/);
  await using host = await Host.start(ext);
  assert.deepEqual(host.tools, []);
});

test("a second run and a second extension are told with the line of the first", async () => {
  const program = await Program.run(`import { Extension } from "extline";
const first = new Extension("first", "1.0.0");
const second = new Extension("second", "1.0.0");
second.tool("unseen", { description: "x" }, () => "x");
const running = first.run(import.meta);
const tell = (error) => console.error(error.name + ": " + error.message);
await first.run(import.meta).catch(tell);
await second.run(import.meta).catch(tell);
await running;
`);
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
  assert.match(program.stderr, /the extension second, at \S+program-\d+\.mjs:3 offers something and does not run: a process is one extension, and this one is first/);
  assert.match(program.stderr, /DefinitionError: \S+:7: run: it was called already, at \S+:5: call it once, at the end of the program/);
  assert.match(program.stderr, /DefinitionError: \S+:8: run: the extension first runs in this process already, at \S+:5, and a process is one extension: let first offer what second offers, or start a program for each/);
});

test("run takes what a module knows of itself", async () => {
  const ext = new Extension("runs", "1.0.0");
  const says = (what: string) => new RegExp(`mistakes\\.test\\.mjs:\\d+: run: it takes what a module knows of itself, and this is ${what}: call ext\\.run\\(import\\.meta\\), or ext\\.run\\(module\\) in CommonJS$`);
  await assert.rejects(ext.run(import.meta.url as never), { name: "DefinitionError", message: says("a string") });
  await assert.rejects(ext.run(true as never), { name: "DefinitionError", message: says("a boolean") });
  await assert.rejects(ext.run({} as never), { name: "DefinitionError", message: says("an object") });
});
