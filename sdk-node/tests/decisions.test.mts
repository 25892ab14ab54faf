// Decisions that a handler makes and does not return, and what looks like a decision and is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Extension } from "extline";
import { Host } from "extline/testing";
import { Program } from "./program.mjs";

const CALL = { tool: "bash", args: { command: "ls", list: [1] } };

/** What comes of a tool call at an extension. */
async function ruled(define: (ext: Extension) => void) {
  const ext = new Extension("decides", "1.0.0");
  define(ext);
  await using host = await Host.start(ext);
  return await host.intercept("tool_call", CALL);
}

test("a guard that calls block and returns nothing blocks", async () => {
  assert.equal((await ruled((ext) => ext.guard("g", (call) => void call.block("never")))).blocked, "never");
  assert.equal((await ruled((ext) => ext.guard("g", async (call) => void call.block("never")))).blocked, "never");
  const twice = await ruled((ext) => ext.guard("g", (call) => (call.block("first"), void call.block("second"))));
  assert.equal(twice.blocked, "first");
});

test("so does an interceptor, also where its failures let it pass", async () => {
  const allow = { onFailure: "allow" } as const;
  const ruling = await ruled((ext) => ext.intercept("tool_call", (call) => {
    call.block("never");
    call.rewrite({});
  }, allow));
  assert.equal(ruling.blocked, "never");
});

test("a rewrite that is not returned is a failure that names it", async () => {
  const { blocked } = await ruled((ext) => ext.intercept("tool_call", (call) => void call.rewrite({ command: "rm" })));
  assert.equal(blocked, "interceptor of tool_call failed: it called rewrite() and did not return what that gave, which decides nothing: return it");
});

test("arguments that are changed in place are a failure that names the line that works", async () => {
  const changes: ((call: any) => void)[] = [
    (call) => (call.args.command = "rm"),
    (call) => (call.args.more = 1),
    (call) => call.args.list.push(2),
    (call) => delete call.args.command,
    (call) => (call.args = {}),
  ];
  for (const change of changes) {
    const { blocked } = await ruled((ext) => ext.intercept("tool_call", (call) => void change(call)));
    assert.match(blocked ?? "", /^interceptor of tool_call failed: it changed call\.(?:args|toolArgs), which changes nothing: return call\.rewrite\(\{ \.\.\.call\.args, NAME: VALUE \}\)$/);
    const guarded = await ruled((ext) => ext.guard("g", (call) => void change(call)));
    assert.match(guarded.blocked ?? "", /^guard g failed: it changed call\.\w+, which changes nothing: a guard may only block or ask: return call\.block\(reason\); ext\.intercept\("tool_call", \.\.\.\) may rewrite$/);
  }
});

test("what is changed in place and returned counts, and no other handler sees the change", async () => {
  const seen: unknown[] = [];
  const ruling = await ruled((ext) => {
    ext.intercept("tool_call", (call: any) => {
      call.args.command = "pwd";
      return call.rewrite(call.args);
    });
    ext.intercept("tool_call", (call: any) => {
      call.args.command = "rm";
    }, { onFailure: "allow" });
    ext.guard("g", (call) => void seen.push(call.args["command"]));
  });
  // The failure of an interceptor that lets it pass undoes all rewrites.
  assert.deepEqual([ruling.isAllowed, seen], [true, ["ls"]]);
});

test("what a guard or an interceptor returns is a decision, or told with the line that works", async () => {
  const returned: [unknown, RegExp][] = [
    [{ block: true, reason: "no" }, /it returned an object, which decides nothing: return call\.block\(reason\), or nothing$/],
    [true, /it returned a boolean, which decides nothing: return call\.block\(reason\), or nothing$/],
    ["no", /it returned a string, which decides nothing: return call\.block\(reason\), or nothing$/],
  ];
  for (const [value, says] of returned) {
    assert.match((await ruled((ext) => ext.guard("g", () => value as never))).blocked ?? "", says);
    assert.match((await ruled((ext) => ext.intercept("tool_call", () => value as never))).blocked ?? "", says);
  }
  const { blocked } = await ruled((ext) => ext.intercept("tool_call", () => ({ command: "rm" }) as never));
  assert.match(blocked ?? "", /return call\.rewrite\(\{ \.\.\.call\.args, NAME: VALUE \}\)$/);
});

test("what led to the failure of a guard or an interceptor stands in the reason", async () => {
  const fetchFailed = () => {
    throw new Error("fetch failed", { cause: new Error("connection refused") });
  };
  const why = "Error: fetch failed\ncaused by: connection refused";
  assert.equal((await ruled((ext) => ext.guard("careful", fetchFailed))).blocked, `guard careful failed: ${why}`);
  const { blocked } = await ruled((ext) => ext.intercept("tool_call", fetchFailed));
  assert.equal(blocked, `interceptor of tool_call failed: ${why}`);
});

test("a message and a prompt that are assigned are failures that name the line that works", async () => {
  const program = await Program.start(`
ext.intercept("assistant_message", (message) => { message.text = "mine"; });
ext.intercept("before_agent_start", (start) => { start.systemPrompt = "mine"; });`);
  program.send(
    { type: "event_intercept", id: "1", event: "assistant_message", text: "theirs" },
    { type: "event_intercept", id: "2", event: "before_agent_start", system_prompt: "theirs" },
  );
  assert.match((await program.next("event_intercept_response", { id: "1" })).reason, /it changed message\.text, which changes nothing: return message\.replace\(text\)/);
  await program.next("event_intercept_response", { id: "2" });
  // The author is told where the handler was registered.
  await program.says(/interceptor of assistant_message \(.*program-\d+\.mjs:5\) failed: it changed message\.text/);
  await program.says(/interceptor of before_agent_start \(.*program-\d+\.mjs:6\) failed: it changed start\.systemPrompt, which changes nothing: return start\.systemPrompt\(prompt\)/);
});

test("the handler of an event that returns a decision is told, with the line that decides", async () => {
  const program = await Program.start(`
ext.on("tool_call", () => ({ block: true, reason: "no" }));
ext.on("tool_call", async () => ({ block: true, reason: "no" }));
ext.on("tool_call", () => ({ changes: 1 }));`);
  program.send({ type: "event", event: "tool_call", tool_name: "bash", tool_args: {} });
  const says = (line: number) =>
    program.says(new RegExp(`the handler of the event tool_call \\(.*:${line}\\) failed: it returned what looks like a decision, and an event is only told: ext\\.guard`));
  await says(5);
  await says(6);
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
  assert.equal(program.stderr.split("looks like a decision").length, 3);
});
