// Handlers of a running extension: what they get, what becomes of what they return and throw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Program, text, WAYS } from "./program.mjs";

const CITY = `{ type: "object", properties: { city: { type: "string" } }, required: ["city"] }`;

for (const way of WAYS) {
  const by = `over ${way.over}, ${way.reader} reader`;

  test(`a tool is called and answers, ${by}`, async () => {
    const program = await Program.start(
      `
ext.tool("weather", { description: "x", input: ${CITY} }, ({ city }) => city + ": fog");
ext.tool("later", { description: "x", input: ${CITY} }, async ({ city }) => (await sleep(1), { city }));`,
      way,
    );
    assert.equal(text(await program.call("weather", { city: "Ä€😀" })), "Ä€😀: fog");
    assert.deepEqual((await program.call("later", { city: "B" })).structured_content, { city: "B" });
    const wrong = await program.call("weather", {});
    assert.deepEqual([wrong.is_error, wrong.error.kind, wrong.error.field], [true, "validation", "/city"]);
    program.send({ type: "shutdown" });
    await program.next("shutdown_ack");
    assert.equal(await program.status(), 0);
  });

  test(`an extension goes on after each way to fail, ${by}`, async () => {
    const program = await Program.start(
      `
const thrown = {
  error: () => { throw new RangeError("out"); },
  rejection: async () => { await sleep(1); throw new RangeError("late"); },
  text: () => { throw "just a text"; },
  nothing: async () => { throw undefined; },
  tool: () => { throw ToolError.notFound("no city", { field: "/city", hint: "try another" }); },
  cycle: () => { const a = {}; a.a = a; return a; },
  nan: async () => ({ list: [NaN] }),
  bigint: () => ({ n: 2n ** 70n }),
  half: () => ({ half: "\\ud800" }),
  halftext: () => "\\ud800",
  safe: () => Number.MAX_SAFE_INTEGER,
};
for (const [name, handler] of Object.entries(thrown)) ext.tool(name, { description: "x" }, handler);`,
      way,
    );
    const failure = async (name: string) => (await program.call(name)).error;
    assert.deepEqual(await failure("error"), { kind: "internal", message: "tool error failed: RangeError: out" });
    assert.deepEqual(await failure("rejection"), { kind: "internal", message: "tool rejection failed: RangeError: late" });
    assert.deepEqual(await failure("text"), { kind: "internal", message: "tool text failed: just a text" });
    assert.deepEqual(await failure("nothing"), { kind: "internal", message: "tool nothing failed: it threw undefined" });
    assert.deepEqual(await failure("tool"), { kind: "not_found", message: "no city", field: "/city", hint: "try another" });
    assert.match((await failure("cycle")).message, /\/a: contains itself/);
    assert.match((await failure("nan")).message, /\/list\/0: JSON has no NaN/);
    assert.equal(text(await program.call("bigint")), '{"n":1180591620717411303424}');
    assert.deepEqual((await program.call("half")).structured_content, { half: "\ufffd" });
    assert.equal(text(await program.call("halftext")), "\ufffd");
    assert.equal(text(await program.call("safe")), "9007199254740991");
    // The author has the stack, with the file.
    assert.match(program.stderr, /tool error failed:\nRangeError: out\n {4}at .*program-\d+\.mjs/);
    assert.match(program.stderr, /tool rejection failed:\nRangeError: late/);
    program.send({ type: "shutdown" });
    assert.equal(await program.status(), 0);
  });

  test(`a cancel in the same write is seen by a handler that waits, ${by}`, async () => {
    const program = await Program.start(
      `
ext.tool("waits", { description: "x" }, async (_, ctx) => sleep(60_000, undefined, { signal: ctx.signal }));
ext.tool("sees", { description: "x" }, (_, ctx) => String(ctx.cancelled));`,
      way,
    );
    program.send({ type: "tool_call", id: "1", name: "waits", args: {} }, { type: "tool_cancel", id: "1" });
    const waits = await program.next("tool_result", { id: "1" });
    assert.deepEqual([waits.is_error, waits.error], [true, { kind: "cancelled", message: "cancelled" }]);
    program.send({ type: "tool_call", id: "3", name: "waits", args: {} });
    assert.equal(text(await program.call("sees")), "false");
    program.send({ type: "tool_cancel", id: "3" });
    assert.equal((await program.next("tool_result", { id: "3" })).error.kind, "cancelled");
    program.send({ type: "tool_call", id: "2", name: "sees", args: {} }, { type: "tool_cancel", id: "2" });
    assert.equal(text(await program.next("tool_result", { id: "2" })), "true");
  });

  test(`events come one at a time, in their order, ${by}`, async () => {
    const program = await Program.start(
      `
let seen = [], runs = 0;
ext.on("turn_start", async ({ step }) => {
  if (++runs > 1) seen.push("overlap");
  if (step % 3 === 0) await sleep(2);
  seen.push(step);
  runs--;
});
ext.on("turn_end", (event) => { seen.push("end " + event.stop); if (event.stop === "error") throw new Error("mine"); });
ext.tool("seen", { description: "x" }, () => seen);`,
      way,
    );
    const steps = Array.from({ length: 30 }, (_, at) => at + 1);
    program.send(
      ...steps.map((step) => ({ type: "event", event: "turn_start", step })),
      { type: "event", event: "turn_end", stop: "error" },
      { type: "event", event: "turn_end", stop: "end" },
    );
    await program.says("the handler of the event turn_end failed:\nError: mine");
    for (;;) {
      const seen = (await program.call("seen")).structured_content as unknown[];
      if (seen.at(-1) !== "end end") continue;
      assert.deepEqual(seen, [...steps, "end error", "end end"]);
      break;
    }
  });
}

test("what a handler says while it computes is shown before it ends", async () => {
  const program = await Program.start(`
ext.tool("computes", { description: "x" }, (_, ctx) => { ctx.update("half", { done: 1, total: 2 }); for (const end = Date.now() + 120; Date.now() < end; ); ctx.update("all"); return "done"; });`);
  assert.equal(text(await program.call("computes", {}, "a")), "done");
  const shown = program.frames.filter((frame) => frame.id === "a").map((frame) => [frame.type, frame.progress?.message]);
  assert.deepEqual(shown, [["tool_update", "half"], ["tool_update", "all"], ["tool_result", undefined]]);
});

test("what an iterator yields is shown, and what it returns is the result", async () => {
  const program = await Program.start(`
ext.tool("async", { description: "x" }, async function* () { yield "one"; await sleep(60); yield { message: "two", done: 2, total: 2 }; return "result"; });
ext.tool("sync", { description: "x" }, function* (_, ctx) { for (let i = 0; ; i++) { yield { done: i }; if (i === 3) return "sync"; } });
ext.tool("never", { description: "x" }, function* () { try { for (;;) yield; } finally { ext.log("closed"); } });
ext.tool("track", { description: "x" }, async (_, ctx) => { let sum = 0; for await (const n of ctx.track([1, 2, 3], { message: "sum", unit: "n" })) { await sleep(1); sum += n; } return sum; });`);
  assert.equal(text(await program.call("async", {}, "a")), "result");
  const updates = program.frames.filter((frame) => frame.type === "tool_update" && frame.id === "a");
  assert.deepEqual(updates.map((update) => update.progress), [{ message: "one" }, { done: 2, total: 2, message: "two" }]);
  assert.equal(text(await program.call("sync")), "sync");
  assert.equal(text(await program.call("track", {}, "t")), "6");
  const track = program.frames.find((frame) => frame.type === "tool_update" && frame.id === "t");
  assert.deepEqual([track?.progress.unit, track?.progress.total], ["n", 3]);
  program.send({ type: "tool_call", id: "n", name: "never", args: {} }, { type: "tool_cancel", id: "n" });
  assert.equal((await program.next("tool_result", { id: "n" })).error.kind, "cancelled");
  assert.ok(program.frames.some((frame) => frame.type === "log" && frame.message === "closed"));
});

test("a generator that yields and returns no answer is told", async () => {
  const program = await Program.start(`
ext.tool("async", { description: "x" }, async function* () { yield "one"; });
ext.tool("sync", { description: "x" }, function* () { yield "one"; });
ext.tool("empty", { description: "x" }, function* () { yield "one"; return ""; });
ext.tool("nothing", { description: "x" }, function* () {});`);
  for (const name of ["async", "sync"]) {
    const { is_error, content } = await program.call(name);
    assert.deepEqual([is_error, content[0].text], [true, `tool ${name} failed: it yielded what are updates, and returned no answer: end it with \`return\`, \`return ""\` for an empty one`]);
  }
  assert.equal((await program.call("empty")).is_error, undefined);
  assert.equal((await program.call("nothing")).is_error, undefined);
});

test("a handler is told of its call and its host", async () => {
  const program = await Program.start(`
ext.tool("about", { description: "x" }, (_, ctx) => ({
  id: ctx.callId, raw: ctx.rawArgs.text, host: ctx.host.name, cwd: ctx.host.cwd, data: ctx.dataDir,
  supports: [ctx.host.supports("log"), ctx.host.supports("nope")], session: ctx.session,
  left: ctx.deadline - Date.now() > 50_000, cancelled: ctx.cancelled,
}));`);
  program.send('{"type":"tool_call","id":"i","name":"about","args":{"n":1.10},"deadline_ms":60000,"session":{"id":"s","generation":2}}');
  const { structured_content } = await program.next("tool_result", { id: "i" });
  assert.equal(structured_content, undefined, "a tool without arguments takes none");
  program.send('{"type":"tool_call","id":"j","name":"about","args":{ },"deadline_ms":60000,"session":{"id":"s","generation":2}}');
  assert.deepEqual((await program.next("tool_result", { id: "j" })).structured_content, {
    id: "j",
    raw: "{ }",
    host: "test",
    cwd: "/w",
    data: "/d",
    supports: [true, false],
    session: { id: "s", generation: 2 },
    left: true,
    cancelled: false,
  });
});

test("a call that may be made again says so", async () => {
  const program = await Program.start(`
ext.tool("pay", { description: "x", replay: "reconcile" }, (_, ctx) =>
  ctx.reconcile ? { state: "not_started" } : { key: ctx.operationKey });
ext.tool("look", { description: "x", pure: true }, (_, ctx) => ({ key: ctx.operationKey ?? null, reconcile: ctx.reconcile }));
ext.tool("put", { description: "x", idempotent: true }, () => "put");
ext.tool("dial", { description: "x", readOnly: true, replay: "never" }, () => "dialled");`);
  const declared = program.frames.filter((frame) => frame["type"] === "register_tool").map((frame) => [frame["name"], frame["replay"]]);
  assert.deepEqual(Object.fromEntries(declared), { pay: "reconcile", look: "safe", put: "idempotent", dial: "never" });
  const call = async (id: string, name: string, more = {}) => {
    program.send(JSON.stringify({ type: "tool_call", id, name, args: {}, ...more }));
    return (await program.next("tool_result", { id })).structured_content;
  };
  assert.deepEqual(await call("1", "pay", { operation_key: "op-7" }), { key: "op-7" });
  assert.deepEqual(await call("2", "pay", { operation_key: "op-7", reconcile: true }), { state: "not_started" });
  assert.deepEqual(await call("3", "look"), { key: null, reconcile: false });
  assert.deepEqual(await call("4", "look", { reconcile: true }), { state: "unknown" }, "its handler is not entered");
});

test("a fork is asked by frames of its own", async () => {
  const program = await Program.start(
    `
ext.tool("show", { description: "x" }, async (_, ctx) => ({ shown: await ctx.ui.status("build", "3 of 5") }));
ext.tool("ask", { description: "x" }, async (_, ctx) => (await ctx.callTool("read", { path: "a" })).text);`,
    { ack: { protocol_version: 6, terva_version: "1", capabilities: undefined, methods: undefined, host: undefined } as never },
  );
  program.send({ type: "tool_call", id: "1", name: "show", args: {} });
  const status = await program.next("status_segment");
  assert.deepEqual([status["id"], status["text"]], ["build", "3 of 5"]);
  const shown = await program.next("tool_result", { id: "1" });
  assert.deepEqual(shown.structured_content, { shown: true }, "it answers none of them");
  program.send({ type: "tool_call", id: "2", name: "ask", args: {} });
  const asked = await program.next("host_tool_call");
  assert.deepEqual([asked["name"], asked["args"]], ["read", { path: "a" }]);
  program.send({ type: "host_tool_result", id: asked["id"], content: [{ type: "text", text: "one" }] });
  assert.deepEqual((await program.next("tool_result", { id: "2" }))["content"], [{ type: "text", text: "one" }]);
});

test("commands answer what they return", async () => {
  const program = await Program.start(`
ext.command("Say", "x", (args, ctx) => "said " + args);
ext.command("nothing", "x", async () => {});
ext.command("ask", "x", () => Response.prompt("go"));
ext.command("fails", "x", () => { throw new Error("no luck"); });
ext.command("denied", "x", async () => { throw ToolError.permission("not you", { hint: "ask" }); });
ext.command("odd", "x", () => 7);`);
  const run = async (name: string, args?: string) => {
    program.send({ type: "command_invoked", id: name, name, args });
    const { type: _, id: __, ...answer } = await program.next("command_response", { id: name });
    return answer;
  };
  assert.deepEqual(await run("say", "it"), { action: "display", display: "said it" });
  assert.deepEqual(await run("nothing"), { action: "noop" });
  assert.deepEqual(await run("ask"), { action: "prompt", prompt: "go" });
  assert.deepEqual(await run("fails"), { action: "noop", error: "no luck" });
  assert.deepEqual(await run("denied"), { action: "noop", error: "not you\nhint: ask" });
  assert.match((await run("odd")).error, /a command returns a Response, a string or nothing, and this is a number/);
});

test("interceptors may rewrite, guards may block, and both fail closed", async () => {
  const program = await Program.start(`
ext.intercept("tool_call", (call) => call.tool === "edit" ? call.rewrite({ ...call.args, safe: true }) : undefined);
ext.intercept("tool_call", async (call) => { await sleep(1); if (call.args.safe) return call.rewrite({ ...call.args, twice: true }); });
ext.intercept("assistant_message", (message) => message.text === "boom" ? Promise.reject(new Error("x")) : message.replace(message.text.toUpperCase()), { onFailure: "allow" });
ext.intercept("before_agent_start", (start) => start.systemPrompt(start.currentPrompt + "!"));
ext.guard("no-rm", async (call) => { if (call.args.command === "rm") return call.block("refused"); });
ext.guard("breaks", (call) => { if (call.tool === "odd") throw new Error("broken"); if (call.tool === "rewrites") return ext.decision; });`);
  let last = 0;
  const ask = async (frame: object) => {
    const id = `i${++last}`;
    program.send({ type: "event_intercept", id, ...frame });
    const { type: _, id: __, ...answer } = await program.next("event_intercept_response", { id });
    return answer;
  };
  const call = (tool: string, args = {}) => ask({ event: "tool_call", tool_name: tool, tool_args: args });
  assert.deepEqual(await call("edit", { a: 1 }), { modified_args: { a: 1, safe: true, twice: true } });
  assert.deepEqual(await call("bash", { command: "ls" }), {});
  assert.deepEqual(await call("bash", { command: "rm" }), { block: true, reason: "refused" });
  assert.deepEqual(await call("odd"), { block: true, reason: "guard breaks failed: Error: broken" });
  assert.deepEqual(await ask({ event: "assistant_message", text: "hi" }), { replace_text: "HI" });
  assert.deepEqual(await ask({ event: "assistant_message", text: "boom" }), {});
  assert.deepEqual(await ask({ event: "before_agent_start", system_prompt: "be" }), { system_prompt: "be!" });
});

for (const onFailure of ["block", "allow"]) {
  test(`the guards behind one that failed are asked only where a failure may pass: ${onFailure}`, async () => {
    const program = await Program.start(`
const asked = [];
ext.guard("first", () => { asked.push("first"); throw new Error("broken"); }, { onFailure: "${onFailure}" });
ext.guard("second", async () => { asked.push("second"); throw new Error("broken too"); });
ext.guard("third", (call) => { asked.push("third"); if (call.tool === "rm") return call.block("refused"); });
ext.tool("asked", { description: "x" }, () => asked.splice(0).join(" "));`);
    const ask = async (tool: string) => {
      program.send({ type: "event_intercept", id: tool, event: "tool_call", tool_name: tool, tool_args: {} });
      const { type: _, id: __, ...answer } = await program.next("event_intercept_response", { id: tool });
      return [answer, text(await program.call("asked"))];
    };
    const closed = { block: true, reason: "guard first failed: Error: broken" };
    const passes = onFailure === "allow";
    assert.deepEqual(await ask("ls"), passes ? [{}, "first second third"] : [closed, "first"]);
    // A block counts, whatever failed before.
    assert.deepEqual(await ask("rm"), passes ? [{ block: true, reason: "refused" }, "first second third"] : [closed, "first"]);
    await program.says(/guard first failed:\nError: broken/);
  });
}

test("an extension asks its host, and a cancel takes its questions with it", async () => {
  const program = await Program.start(`
ext.tool("asks", { description: "x" }, async (_, ctx) => (await ctx.callTool("read", { path: "a" })).text);
ext.tool("echo", { description: "x" }, async (_, ctx) => ctx.request("host.echo", { n: 1 }));
ext.tool("none", { description: "x" }, async (_, ctx) => ctx.request("host.none"));
ext.tool("soon", { description: "x" }, async (_, ctx) => ctx.request("host.echo", {}, { timeoutMs: 20 }));`);
  program.send({ type: "tool_call", id: "1", name: "asks", args: {} });
  const asked = await program.next("call_tool", { parent_id: "1" });
  assert.deepEqual([asked.name, asked.args], ["read", { path: "a" }]);
  program.send({ type: "tool_result", id: asked.id, name: "read", content: [{ type: "text", text: "42" }], is_error: false });
  assert.equal(text(await program.next("tool_result", { id: "1" })), "42");

  program.send({ type: "tool_call", id: "2", name: "asks", args: {} });
  const denied = await program.next("call_tool", { parent_id: "2" });
  program.send({ type: "tool_result", id: denied.id, name: "read", content: [{ type: "text", text: "denied" }], is_error: true });
  assert.deepEqual((await program.next("tool_result", { id: "2" })).error, { kind: "internal", message: "denied" });

  program.send({ type: "tool_call", id: "3", name: "asks", args: {} });
  const open = await program.next("call_tool", { parent_id: "3" });
  program.send({ type: "tool_cancel", id: "3" });
  assert.equal((await program.next("tool_result", { id: "3" })).error.kind, "cancelled");
  assert.ok(program.frames.some((frame) => frame.type === "call_tool_cancel" && frame.id === open.id));

  program.send({ type: "tool_call", id: "4", name: "echo", args: {} });
  const request = await program.next("request");
  assert.deepEqual([request.method, request.params, request.parent], ["host.echo", { n: 1 }, { kind: "tool_call", id: "4" }]);
  program.send({ type: "response", id: request.id, result: [1] });
  assert.deepEqual((await program.next("tool_result", { id: "4" })).structured_content, [1]);
  assert.equal((await program.call("none")).error.kind, "unsupported");
  assert.equal((await program.call("soon")).error.kind, "timeout");
});

test("setup may wait, ask about the host and register; a panel is opened, drawn and told of its keys", async () => {
  const program = await Program.start(`
ext.setup(async (ctx) => {
  await sleep(5);
  ext.tool("found", { description: "x" }, () => ctx.host.model);
  ext.panel("notes", (input, own) => own.panel("notes").render({ lines: [input.kind + " " + input.key] }));
});
ext.command("open", "x", () => Response.openPanel({ id: "notes", title: "Notes", lines: [] }));
ext.tool("late", { description: "x" }, () => { ext.tool("later", { description: "x" }, () => "added"); ext.notify("added", "success"); ext.submit("/go"); });`);
  assert.equal(text(await program.call("found")), "m");
  program.send({ type: "command_invoked", id: "1", name: "open" });
  await program.next("command_response");
  program.send({ type: "panel_key", panel_id: "notes", key: "up" });
  assert.deepEqual(await program.next("panel_render"), { type: "panel_render", panel_id: "notes", title: "Notes", lines: ["key up"] });
  await program.call("late");
  assert.ok(program.frames.some((frame) => frame.type === "notify" && frame.level === "success"));
  assert.ok(program.frames.some((frame) => frame.type === "submit_slash" && frame.text === "/go"));
  assert.equal(text(await program.call("later")), "added");
});

test("what a host is told once cannot be registered too late in silence", async () => {
  const late = {
    on: ["event turn_end", `ext.on("turn_end", () => {})`],
    intercept: ["interceptor of tool_call", `ext.intercept("tool_call", () => {})`],
    guard: ["guard g", `ext.guard("g", () => {})`],
    setup: ["setup", `ext.setup(() => {})`],
    teardown: ["teardown", `ext.teardown(() => {})`],
    method: ["method m", `ext.method("m", () => 1)`],
    require: ["capability log", `ext.require("log")`],
  };
  const tools = Object.entries(late).map(([name, [, code]]) => `ext.tool("${name}", { description: "x" }, () => {\n${code};\n});`);
  const program = await Program.start(`
const told = [];
ext.tool("told", { description: "x" }, () => told);
ext.setup(() => { ext.on("turn_end", () => told.push("event")); ext.guard("early", () => void told.push("guard")); });
${tools.join("\n")}`);
  for (const [name, [what]] of Object.entries(late)) {
    const answer = await program.call(name);
    assert.equal(answer.error.kind, "internal");
    // At the line of the call, not of the tool.
    const begins = new RegExp(`program-\\d+\\.mjs:\\d+: ${what}: .*before run\\(\\)`);
    await program.says(begins);
  }
  // What setup registers counts.
  program.send({ type: "event", event: "turn_end" }, { type: "event_intercept", id: "i", event: "tool_call", tool_name: "x", tool_args: {} });
  await program.next("event_intercept_response");
  assert.deepEqual((await program.call("told")).structured_content, ["event", "guard"]);
});

test("a setup that fails ends the extension, and so does a host without what is required", async () => {
  for (const isGone of [false, true]) {
    const failing = await Program.start(`ext.setup(async () => { throw new Error("no disk"); }); ext.teardown(() => console.log("never"));`, {
      ack: false,
    });
    failing.send({ type: "hello_ack", protocol_version: 1 });
    // Right behind its answer.
    if (isGone) failing.end();
    assert.equal(await failing.status(), 1);
    assert.match(failing.stderr, /setup failed:\nError: no disk/);
    assert.doesNotMatch(failing.stderr, /never/);
  }

  const cancelled = await Program.start(`ext.setup(async (ctx) => { console.log("begun"); await sleep(60_000, undefined, { signal: ctx.signal }); });`, {
    ack: false,
  });
  cancelled.send({ type: "hello_ack", protocol_version: 1 });
  await cancelled.says("begun");
  cancelled.end();
  assert.equal(await cancelled.status(), 0);
  assert.equal(cancelled.stderr, "begun\n");

  const short = await Program.start(`ext.require("tool_update");`, { ack: false });
  short.send({ type: "hello_ack", protocol_version: 1, capabilities: [], host: { name: "h", version: "1" } });
  assert.equal(await short.status(), 78);
  assert.match(short.stderr, /the host h 1 does not offer the capability tool_update, which test requires/);

  const refused = await Program.start(`ext.tool("mine", { description: "x", required: true }, () => 1);`);
  refused.send({ type: "registered", rejected: [{ kind: "tool", name: "mine", code: "conflict", message: "taken" }] });
  assert.equal(await refused.status(), 78);
});

test("errors that nobody catches are told with what was at work, and the extension goes on", async () => {
  const program = await Program.start(`
ext.tool("strays", { description: "x" }, async () => {
  void Promise.reject(new Error("stray rejection"));
  setTimeout(() => { throw "stray throw"; }, 1);
  await sleep(20);
  return "went on";
});`);
  assert.equal(text(await program.call("strays")), "went on");
  await program.says(/a promise was rejected that nobody awaits, while tool strays ran:\nError: stray rejection/);
  await program.says(/an error was thrown outside of every handler, while tool strays ran:\nstray throw/);
  assert.ok(program.frames.some((frame) => frame.type === "log" && /stray rejection/.test(frame.message)));
  assert.equal(text(await program.call("strays")), "went on");
});
