// The end of a running extension, by every way there is.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Extension } from "extline";
import { Program, text, WAYS } from "./program.mjs";

const { Serving } = createRequire(import.meta.url)("../dist/inside.js") as typeof import("../dist/inside.js");

const SLOW = `
ext.tool("waits", { description: "x" }, (_, ctx) => sleep(60_000, "late", { signal: ctx.signal }));
ext.tool("stays", { description: "x" }, () => new Promise(() => {}));
ext.tool("canary", { description: "x" }, () => "here");
`;

for (const way of WAYS) {
  const by = `over ${way.over}, ${way.reader} reader`;

  test(`40 calls that wait, a canary and a shutdown in one write: each is answered, ${by}`, async () => {
    const program = await Program.start(`${SLOW}ext.teardown(async () => { await sleep(5); console.log("taken down"); });`, way);
    const waiting = Array.from({ length: 40 }, (_, at) => `w${at}`);
    program.send(
      ...waiting.map((id) => ({ type: "tool_call", id, name: "waits", args: {} })),
      { type: "tool_call", id: "canary", name: "canary", args: {} },
    );
    assert.equal(text(await program.next("tool_result", { id: "canary" })), "here");
    program.send({ type: "shutdown" });
    await program.next("shutdown_ack");
    assert.equal(await program.status(), 0);
    const answers = program.frames.filter((frame) => frame.type === "tool_result" && frame.id !== "canary");
    assert.deepEqual(answers.map((frame) => frame.id).sort(), waiting.sort());
    assert.ok(answers.every((frame) => frame.error.kind === "cancelled"));
    assert.equal(program.frames.at(-1)?.type, "shutdown_ack");
    assert.match(program.stderr, /^taken down$/m);
  });

  test(`the end of input ends it, with all that was said, ${by}`, async () => {
    const program = await Program.start(`${SLOW}ext.tool("big", { description: "x" }, () => "x".repeat(300_000));`, way);
    program.send({ type: "tool_call", id: "b", name: "big", args: {} });
    program.end();
    assert.equal(await program.status(), 0);
    const big = program.frames.find((frame) => frame.id === "b");
    // It was answered, or cancelled before it had begun: in either way with a whole frame.
    assert.ok(big?.error?.kind === "cancelled" || big?.content[0].text.length === 300_000, program.stderr);
    assert.ok(program.stdout.endsWith("}\n"));
    assert.ok(!program.frames.some((frame) => frame.type === "shutdown_ack"));
  });

  test(`SIGTERM ends it with status 143, also beside a listener of the author's, ${by}`, async () => {
    for (const own of ["", 'process.on("SIGTERM", () => console.log("own listener"));']) {
      const program = await Program.start(`${own}${SLOW}`, way);
      program.send({ type: "tool_call", id: "w", name: "waits", args: {} }, { type: "tool_call", id: "c", name: "canary", args: {} });
      await program.next("tool_result", { id: "c" });
      program.signal("SIGTERM");
      assert.equal((await program.next("tool_result", { id: "w" })).error.kind, "cancelled");
      assert.equal(await program.status(), 143);
      assert.equal(program.stderr.includes("own listener"), own !== "");
    }
  });

  test(`a timer that never ends and a handler that never settles do not keep it, ${by}`, async () => {
    const program = await Program.start(`setInterval(() => {}, 1000);${SLOW}`, way);
    program.send({ type: "tool_call", id: "s", name: "stays", args: {} }, { type: "tool_call", id: "c", name: "canary", args: {} });
    await program.next("tool_result", { id: "c" });
    program.send({ type: "shutdown" });
    assert.equal((await program.next("tool_result", { id: "s" })).error.kind, "cancelled");
    await program.next("shutdown_ack");
    assert.equal(await program.status(), 0);
    // On a busy machine the watchdog may be the first to say so.
    assert.match(program.stderr, /something keeps the event loop busy: Timeout|tool stays would not stop/);
  });
}

test("a handler that keeps the loop is ended and named, and what it held up is answered", async () => {
  const program = await Program.start(`${SLOW}
ext.tool("computes", { description: "x" }, () => { console.log("computing"); for (;;); });`);
  program.send({ type: "tool_call", id: "w", name: "waits", args: {} }, { type: "tool_call", id: "b", name: "computes", args: {} });
  await program.says("computing");
  program.send({ type: "shutdown" });
  for (const id of ["w", "b"]) assert.equal((await program.next("tool_result", { id })).error.kind, "cancelled");
  await program.next("shutdown_ack");
  assert.equal(await program.status(), 0);
  assert.match(program.stderr, /ended 1\.5s after shutdown; .*tool computes would not stop/);
});

test("a signal ends it while a handler keeps the loop, also beside listeners of the author's", async () => {
  const computes = `${SLOW}
ext.tool("computes", { description: "x" }, async () => { await sleep(1); console.log("computing"); for (;;); });`;
  const late = 'ext.setup(() => { process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); });';
  for (const own of ["", 'process.on("SIGTERM", () => {}); process.on("SIGINT", () => {});', late]) {
    for (const [signal, status] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
      const program = await Program.start(`${own}${computes}`);
      program.send({ type: "tool_call", id: "b", name: "computes", args: {} });
      await program.says("computing");
      program.signal(signal);
      assert.equal((await program.next("tool_result", { id: "b" })).error.kind, "cancelled");
      assert.equal(await program.status(), status);
      assert.match(program.stderr, /^extline: ended 1\.5s after shutdown; tool computes would not stop$/m);
    }
  }
});

test("while a handler keeps the loop, cancels are seen, guards are answered for, and nothing is lost", async () => {
  const program = await Program.start(
    `
ext.guard("slow", () => undefined);
ext.tool("computes", { description: "x" }, (_, ctx) => { console.log("computing"); while (!ctx.cancelled); return "saw it"; });
ext.tool("quick", { description: "x" }, () => "quick");`,
    { ack: { limits: { intercept_timeout_ms: 200 } } },
  );
  program.send({ type: "tool_call", id: "b", name: "computes", args: {} });
  await program.says("computing");
  program.send({ type: "event_intercept", id: "g", event: "tool_call", tool_name: "x", tool_args: {} });
  const guarded = await program.next("event_intercept_response", { id: "g" });
  assert.equal(guarded.block, true);
  assert.match(guarded.reason, /timed out/);
  program.send({ type: "tool_call", id: "q", name: "quick", args: {} }, { type: "tool_cancel", id: "b" });
  assert.equal(text(await program.next("tool_result", { id: "b" })), "saw it");
  assert.equal(text(await program.next("tool_result", { id: "q" })), "quick");
});

test("process.exit in a handler cuts nothing that was said, and is told", async () => {
  const program = await Program.start(`
ext.tool("big", { description: "x" }, () => "x".repeat(2_000_000));
ext.tool("leaves", { description: "x" }, () => process.exit(3));`);
  program.send({ type: "tool_call", id: "1", name: "big", args: {} }, { type: "tool_call", id: "2", name: "leaves", args: {} });
  assert.equal(text(await program.next("tool_result", { id: "1" })).length, 2_000_000);
  assert.equal(await program.status(), 3);
  await program.says(/ended with exit code 3 while tool leaves ran/);
});

test("process.exit does not wait for ever for a host that reads nothing", async () => {
  const program = await Program.start(
    `ext.tool("big", { description: "x" }, () => (setTimeout(() => process.exit(4), 50), "x".repeat(4_000_000)));`,
    { paused: true, over: "sockets" },
  );
  program.send({ type: "tool_call", id: "1", name: "big", args: {} });
  await program.says(/ended with exit code 4/);
  program.resume();
  assert.equal(await program.status(), 4);
});

test("a host that is gone ends it", async () => {
  const program = await Program.start(`${SLOW}ext.tool("talks", { description: "x" }, async (_, ctx) => { for (;;) { await sleep(5); ctx.log("x"); ctx.throwIfCancelled(); } });`, { over: "sockets" });
  program.send({ type: "tool_call", id: "1", name: "talks", args: {} });
  await program.next("log");
  program.hangUp();
  assert.equal(await program.status(), 0);
});

test("Ctrl-C ends it in order", async () => {
  const program = await Program.start(SLOW);
  program.send({ type: "tool_call", id: "w", name: "waits", args: {} }, { type: "tool_call", id: "c", name: "canary", args: {} });
  await program.next("tool_result", { id: "c" });
  program.signal("SIGINT");
  assert.equal((await program.next("tool_result", { id: "w" })).error.kind, "cancelled");
  assert.equal(await program.status(), 130);
});

test("what stands behind run() goes on after the end, and the exit status is the program's", async () => {
  const program = await Program.run(`import { Extension } from "extline";
const ext = new Extension("test", "1.0.0");
await ext.run(import.meta);
console.log("after the end");
process.exitCode = 7;`);
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 7);
  assert.match(program.stderr, /after the end/);
});

test("a timer that rings before its time is set again", () => {
  const ext = new Extension("early", "1.0.0");
  ext.teardown(() => new Promise(() => {}));
  const waits: (number | undefined)[] = [];
  const unseen = () => {};
  const serving = new Serving(
    (ext as unknown as { offer: ConstructorParameters<typeof Serving>[0] }).offer,
    { finished: unseen, failed: unseen, handlerFailed: unseen, wants: (_input, due) => waits.push(due) },
    { reader: "bytes" },
  );
  serving.begin();
  serving.session.feed(Buffer.from('{"type":"hello_ack","protocol_version":1}\n{"type":"shutdown"}\n'));
  while (serving.session.takeOutput()) serving.session.written(false);
  assert.ok((waits.splice(0).at(-1) ?? 0) > 100, "the time that a teardown has");
  serving.session.turn();
  assert.ok((waits.at(-1) ?? 0) > 100, "the same, as nothing was due");
  serving.session.close();
});
