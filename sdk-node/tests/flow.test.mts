// Much at once, and a host that is slow to read.
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Program, text, WAYS, type Frame } from "./program.mjs";

const TOOLS = `
ext.tool("echo", { description: "x", input: { type: "object" } }, (args) => args);
ext.tool("later", { description: "x", input: { type: "object" } }, async (args) => { await sleep(args.n % 7); return args; });
ext.tool("size", { description: "x", input: { type: "object" } }, ({ text }) => text.length);
`;

for (const way of WAYS) {
  const by = `over ${way.over}, ${way.reader} reader`;

  test(`two full pipes do not stop each other, and nothing is lost, ${by}`, async () => {
    const program = await Program.start(TOOLS, { ...way, paused: true });
    const pad = "x".repeat(50_000);
    const count = 200;
    // Ten megabytes each way, before anything is read.
    for (let n = 0; n < count; n++) {
      program.send({ type: "tool_call", id: `e${n}`, name: n % 2 ? "echo" : "later", args: { n, pad } });
    }
    program.send({ type: "event", event: "turn_end" }, { type: "tool_call", id: "last", name: "size", args: { text: "four" } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    program.resume();
    const answers = new Map<string, Frame>();
    await program.until(() => {
      for (const frame of program.frames) if (frame.type === "tool_result") answers.set(frame.id, frame);
      return answers.size === count + 1;
    }, `${count} answers`);
    for (let n = 0; n < count; n++) assert.equal(answers.get(`e${n}`)?.structured_content.n, n);
    assert.equal(text(answers.get("last")!), "4");
    program.send({ type: "shutdown" });
    assert.equal(await program.status(), 0);
  });

  test(`what could not begin while the host took nothing begins once it has, ${by}`, async () => {
    // The first answer fills the pipe, and promises of the second handler keep the loop until the host has read of it.
    const program = await Program.start(
      `const busy = (millis) => { const end = Date.now() + millis; while (Date.now() < end); };
ext.tool("big", { description: "x" }, () => { busy(5); return "x".repeat(100_000); });
ext.tool("slow", { description: "x" }, () => { queueMicrotask(() => busy(300)); busy(5); return "slow"; });
ext.tool("next", { description: "x" }, () => "here");`,
      way,
    );
    const names = ["big", "slow", "next"];
    program.send(...names.map((name) => ({ type: "tool_call", id: name, name, args: {} })));
    const answers = () => program.frames.filter(({ type }) => type === "tool_result").length;
    await program.until(() => answers() === names.length, "all answers");
  });

  test(`a frame of many megabytes is read, and an answer beyond the limit is refused, ${by}`, async () => {
    const program = await Program.start(`${TOOLS}ext.tool("huge", { description: "x" }, () => "x".repeat(5_000_000));`, way);
    assert.equal(text(await program.call("size", { text: "é".repeat(8_000_000) })), "8000000");
    assert.equal((await program.call("huge")).error.kind, "too_large");
    assert.equal(text(await program.call("size", { text: "" })), "0");
  });

  test(`a thousand calls in one write are answered, each once, ${by}`, async () => {
    const program = await Program.start(TOOLS, way);
    const ids = Array.from({ length: 1000 }, (_, at) => `k${at}`);
    program.send(...ids.map((id, n) => ({ type: "tool_call", id, name: n % 3 ? "echo" : "later", args: { n } })));
    const answered = () => program.frames.filter((frame) => frame.type === "tool_result");
    await program.until(() => answered().length >= 1000, "1000 answers");
    assert.deepEqual(answered().map((frame) => frame.id).sort(), [...ids].sort());
  });
}

for (const over of ["pipes", "sockets"] as const) {
  // libuv sets O_NONBLOCK where it watches; a shell that shares the description would feel it.
  test(`the descriptors stay as the host made them, over ${over}`, { skip: !existsSync("/proc/self/fdinfo") }, async () => {
    const program = await Program.run(
      `
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
const linked = (fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch { return ""; } };
const flags = (fd) => parseInt(/^flags:\\s*(\\d+)$/m.exec(readFileSync("/proc/self/fdinfo/" + fd, "utf8"))[1], 8);
const wires = [0, 1].map(linked);
const before = [0, 1].map(flags);
const { Extension } = await import("extline");
const ext = new Extension("flags", "1");
ext.tool("big", { description: "x" }, () => "x".repeat(2_000_000));
ext.tool("flags", { description: "x" }, () => {
  const now = wires.map((wire) => readdirSync("/proc/self/fd").filter((fd) => linked(fd) === wire).map(flags));
  return { before, now };
});
await ext.run();`,
      { over, paused: true, env: { EXTLINE_STDIO: "claim" } },
    );
    // An answer that the host does not take, so that stdout is watched too.
    program.send({ type: "tool_call", id: "big", name: "big", args: {} });
    await new Promise((resolve) => setTimeout(resolve, 300));
    program.resume();
    await program.next("tool_result", { id: "big" });
    const { before, now } = (await program.call("flags")).structured_content;
    const O_NONBLOCK = 0o4000;
    for (const [end, fds] of now.entries()) {
      assert.ok(fds.length > 0, `descriptor ${end} is watched under another number`);
      const isAsBefore = (flags: number) => (flags & O_NONBLOCK) === (before[end] & O_NONBLOCK);
      // A pipe for answers is opened once more, for this process alone and without waiting. Were the
      // host's own description changed, no descriptor would be as before.
      const isReopened = over === "pipes" && end === 1;
      assert.ok(isReopened ? fds.some(isAsBefore) : fds.every(isAsBefore), `descriptor ${end}: ${fds}, was ${before[end]}`);
    }
  });
}

test("updates of a call that the host cannot take are replaced, and its answer comes", async () => {
  const program = await Program.start(`
ext.tool("shows", { description: "x" }, async (_, ctx) => { for (let n = 0; n < 2000; n++) { ctx.update("x".repeat(1000), { done: n }); if (n % 100 === 0) await sleep(1); } return "done"; });`);
  assert.equal(text(await program.call("shows", {}, "s")), "done");
  const updates = program.frames.filter((frame) => frame.type === "tool_update");
  assert.ok(updates.length > 0 && updates.length < 100, `${updates.length} updates`);
  assert.deepEqual(updates.map((update) => update.seq), updates.map((_, at) => at + 1));
});

test("an answer does not wait for a handler that is known to be slow", async () => {
  const program = await Program.start(`
ext.tool("quick", { description: "x" }, () => "quick");
ext.tool("slow", { description: "x" }, (_, ctx) => { for (const began = Date.now(); Date.now() < began + 5 || !ctx.cancelled; ); return "slow"; });`);
  for (const round of ["first", "second"]) {
    // That it is slow is found out in the first round.
    if (round === "second") program.send({ type: "tool_call", id: "q", name: "quick", args: {} }, { type: "tool_call", id: round, name: "slow", args: {} });
    else program.send({ type: "tool_call", id: round, name: "slow", args: {} });
    if (round === "second") assert.equal(text(await program.next("tool_result", { id: "q" })), "quick");
    program.send({ type: "tool_cancel", id: round });
    await program.next("tool_result", { id: round });
  }
});

test("an answer does not wait for a handler that was quick so far", async () => {
  const program = await Program.start(`
import { existsSync } from "node:fs";
ext.tool("quick", { description: "x" }, () => "quick");
ext.tool("sticks", { description: "x", input: { type: "object" } }, ({ go }) => { while (go !== undefined && !existsSync(go)); return "went"; });`);
  // Each time it is a call among quick ones, so that what it does is a surprise.
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 80; n++) await program.call("sticks");
    const go = join(tmpdir(), `extline-go-${process.pid}-${round}`);
    after(() => rmSync(go, { force: true }));
    program.send({ type: "tool_call", id: `q${round}`, name: "quick", args: {} }, { type: "tool_call", id: `s${round}`, name: "sticks", args: { go } });
    assert.equal(text(await program.next("tool_result", { id: `q${round}` })), "quick");
    writeFileSync(go, "");
    assert.equal(text(await program.next("tool_result", { id: `s${round}` })), "went");
  }
});

test("a handler that was slow once has its answers in one write again", { skip: !existsSync("/proc/self/io") }, async () => {
  const program = await Program.start(`
import { readFileSync } from "node:fs";
ext.tool("works", { description: "x", input: { type: "object" } }, ({ ms }) => { for (const began = performance.now(); performance.now() < began + ms; ); return "done"; });
ext.tool("writes", { description: "x" }, () => /^syscw: (\\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))[1]);`);
  const writes = async () => Number(text(await program.call("writes")));
  const batch = async (name: string) => {
    const ids = Array.from({ length: 32 }, (_, at) => `${name}-${at}`);
    const before = await writes();
    program.send(...ids.map((id) => ({ type: "tool_call", id, name: "works", args: { ms: 0 } })));
    for (const id of ids) await program.next("tool_result", { id });
    return (await writes()) - before;
  };
  await program.call("works", { ms: 5 });
  assert.ok((await batch("after")) >= 32, "each is written at once, as long as nobody knows");
  // A busy machine may make any call slow; sooner or later none is.
  let count = 32;
  for (let n = 0; n < 100 && count > 16; n++) count = await batch(`later-${n}`);
  assert.ok(count <= 16, `${count} writes for 32 answers`);
});
