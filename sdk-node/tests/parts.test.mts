// Answers in parts, both ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Program, WAYS, type Frame } from "./program.mjs";

const ASKING = `
const served = (handler) => ext.tool(handler.name, { description: "d", input: { type: "object" } }, handler);
served(async function build(args, ctx) {
  const lines = [];
  const onPart = (line) => {
    lines.push(line);
    if (line === args.failsAt) throw ToolError.ofKind("budget", "enough");
  };
  const status = await ctx.request("host.echo", ["make"], { onPart });
  return [...lines, status];
});
served(async function slow(args, ctx) {
  const lines = [];
  const onPart = async (line) => {
    await sleep(5);
    lines.push(line);
    if (line === args.failsAt) throw ToolError.ofKind("budget", "enough");
  };
  const status = await ctx.request("host.echo", ["make"], { onPart });
  return [...lines, status];
});
served(async function plain(args, ctx) { return ctx.request("host.echo"); });
`;
const part = (id: string, seq: number, data: unknown): Frame => ({ type: "response_part", id, seq, data });
const call = (name: string, args: object = {}, id = "1"): Frame => ({ type: "tool_call", id, name, args });

for (const name of ["build", "slow"]) {
  test(`each part comes before the result, in order: ${name}`, async () => {
    const program = await Program.start(ASKING);
    program.send(call(name));
    const { id } = await program.next("request");
    program.send(part(id, 1, "a"), part(id, 2, { b: [1] }), { type: "response", id, result: 7 });
    assert.deepEqual((await program.next("tool_result")).structured_content, ["a", { b: [1] }, 7]);
    // Who does not ask for parts gets the result alone.
    program.send(call("plain", {}, "2"));
    const next = await program.next("request", { id: "2" });
    program.send(part(next.id, 1, "a"), { type: "response", id: next.id, result: 8 });
    assert.equal((await program.next("tool_result", { id: "2" })).structured_content, 8);
    program.send({ type: "shutdown" });
    assert.equal(await program.status(), 0);
  });

  test(`an error in a part ends the request: ${name}`, async () => {
    const program = await Program.start(ASKING);
    program.send(call(name, { failsAt: "b" }));
    const { id } = await program.next("request");
    program.send(part(id, 1, "a"), part(id, 2, "b"), part(id, 3, "c"));
    assert.equal((await program.next("cancel")).id, id);
    assert.equal((await program.next("tool_result")).error.kind, "budget");
    program.send({ type: "shutdown" });
    assert.equal(await program.status(), 0);
  });
}

const SERVING = `
ext.method("yields", function* (count) { for (let n = 0; n < count; n++) yield n; return "yielded"; });
ext.method("yieldsLater", async function* (count) { for (let n = 0; n < count; n++) yield n; return "yielded"; });
ext.method("sends", async (count, ctx) => { for (let n = 0; n < count; n++) await ctx.sendPart(n); return "yielded"; });
ext.method("ends", async function* (_, ctx) {
  try { for (;;) { await sleep(1); yield 1; } } finally { ctx.log("closed"); }
});
ext.method("waits", (_, ctx) => sleep(60_000, undefined, { signal: ctx.signal }));
ext.tool("no_method", { description: "d", input: { type: "object" } }, async (_, ctx) => ctx.sendPart(1));
`;
const ask = (method: string, params?: unknown): Frame => ({ type: "request", id: method, method, params });

for (const way of WAYS) {
  test(`a method answers in parts, more than may wait, by ${way.over} and ${way.reader}`, async () => {
    const program = await Program.start(SERVING, way);
    for (const method of ["yields", "yieldsLater", "sends"]) {
      program.send(ask(method, 200));
      assert.equal((await program.next("response", { id: method })).result, "yielded");
      const parts = program.frames.filter((frame) => frame.type === "response_part" && frame.id === method);
      assert.deepEqual(parts.map(({ seq, data }) => [seq, data]), Array.from({ length: 200 }, (_, n) => [n + 1, n]));
    }
    program.send({ type: "shutdown" });
    assert.equal(await program.status(), 0);
  });
}

test("parts wait for a host that does not read", async () => {
  const program = await Program.start(`${SERVING}
    let sent = 0;
    ext.method("count", async (count, ctx) => {
      const text = "x".repeat(10_000);
      // Nothing else begins meanwhile, so that no handler could tell.
      let before = -1;
      const look = setInterval(() => {
        if (sent === before) console.error(sent < count ? "it waits" : "it does not wait");
        before = sent;
      }, 50);
      for (; sent < count; sent++) await ctx.sendPart(text);
      clearInterval(look);
    });
  `, { paused: true });
  program.send(ask("count", 300));
  await program.says("it waits");
  program.resume();
  await program.next("response");
  assert.equal(program.frames.filter((frame) => frame.type === "response_part").length, 300);
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
});

test("a cancel ends the parts, and outside a method there are none", async () => {
  const program = await Program.start(SERVING);
  program.send(ask("ends"));
  await program.next("response_part");
  program.send({ type: "cancel", id: "ends" });
  assert.equal((await program.next("response", { id: "ends" })).error.code, "cancelled");
  program.send(ask("waits"), { type: "cancel", id: "waits" });
  assert.equal((await program.next("response", { id: "waits" })).error.code, "cancelled");
  program.send(call("no_method"));
  assert.equal((await program.next("tool_result")).error.kind, "unsupported");
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
});
