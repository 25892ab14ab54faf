// The testing host: every step of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Extension, Response, ToolError, ToolResult } from "extline";
import { Ended, Failure, HandlerFailed, Host, Misuse, TimedOut, Unusable } from "extline/testing";
import { ROOT } from "./repository.mjs";

const PATIENCE = 30_000;

const make = () => new Extension("test", "1.0.0");

/** A tool that waits until it is cancelled. */
function waiting(ext: Extension, began: () => void = () => {}): void {
  ext.tool("wait", { description: "waits" }, async (_args, ctx) => {
    began();
    ctx.update("waiting");
    await sleep(PATIENCE, undefined, { signal: ctx.signal });
  });
}

test("a tool answers with all that a result has", async () => {
  const ext = make();
  const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  ext.tool("give", { description: "gives", input }, async ({ n }, ctx) => {
    ctx.update("on it", { done: 1, total: n });
    await sleep(1);
    return new ToolResult(["a", "b"], {
      structured: { n },
      details: [1],
      effects: [{ kind: "file", op: "create", path: "p" }],
      activate: ["t"],
      trust: "untrusted",
    });
  });
  await using host = await Host.start(ext);
  const answer = await host.call("give", { n: 2 });
  assert.deepEqual([answer.text, answer.value, answer.details], ["a\nb", { n: 2 }, [1]]);
  assert.deepEqual([answer.activated, answer.trust, answer.isError], [["t"], "untrusted", false]);
  assert.equal(answer.effects[0]?.["path"], "p");
  assert.deepEqual(answer.updates[0]?.progress, { done: 1, total: 2, message: "on it" });
  const refused = await host.call("give", { n: "x" });
  assert.deepEqual([refused.kind, refused.field, refused.isError], ["validation", "/n", true]);
  await assert.rejects(host.call("nobody"), { name: "Misuse", message: "the extension offers no tool nobody: it offers give" });
  assert.deepEqual(host.tools.map(({ name }) => name), ["give"]);
});

test("a call that may be made again has its key", async () => {
  const ext = make();
  ext.tool("pay", { description: "pays", replay: "reconcile" }, (_args, ctx) =>
    ctx.reconcile ? { state: "not_started", key: ctx.operationKey } : { key: ctx.operationKey ?? null },
  );
  ext.tool("give", { description: "gives" }, () => "x");
  await using host = await Host.start(ext);
  assert.deepEqual((await host.call("pay")).value, { key: null });
  assert.deepEqual((await host.callWithKey("op-7", "pay")).value, { key: "op-7" });
  assert.deepEqual((await host.reconcile("op-7", "pay")).value, { state: "not_started", key: "op-7" });
  await assert.rejects(host.reconcile("op-7", "give"), { name: "Misuse", message: /give does not declare replay "reconcile"/ });
});

test("updates come one by one, and a cancel reaches the handler", async () => {
  const ext = make();
  let began = 0;
  waiting(ext, () => (began += 1));
  await using host = await Host.start(ext);
  for (const count of [1, 2, 3]) {
    const call = await host.begin("wait");
    assert.equal(began, count);
    assert.equal((await host.nextUpdate(call)).progress?.message, "waiting");
    await host.cancel(call);
    assert.equal((await host.finish(call)).kind, "cancelled");
  }
  const call = await host.begin("wait");
  await host.nextUpdate(call);
  await host.cancel(call);
  await assert.rejects(host.nextUpdate(call), { name: "Misuse", message: /answered without a further update/ });
});

test("calls run at the same time and are finished in any order", async () => {
  const ext = make();
  const ends: ((text: string) => void)[] = [];
  ext.tool("held", { description: "d" }, () => new Promise<string>((resolve) => void ends.push(resolve)));
  await using host = await Host.start(ext);
  const [first, second] = [await host.begin("held"), await host.begin("held")];
  ends[1]?.("second");
  ends[0]?.("first");
  const answers = await Promise.all([host.finish(second), host.finish(first)]);
  assert.deepEqual(answers.map(({ text }) => text), ["second", "first"]);
});

test("commands answer and open panels that take keys", async () => {
  const ext = make();
  const pressed: unknown[] = [];
  ext.command("say", "says", (args) => Response.toolPrompt("bash", { command: args }, "go"));
  ext.command("show", "shows", () => Response.openPanel({ id: "p", title: "T", lines: ["0"], footer: "f" }));
  ext.panel("p", async (input, ctx) => {
    await sleep(2);
    pressed.push(input.text ?? input.key ?? input.width ?? input.kind);
    if (input.kind !== "close") ctx.panel("p").render({ lines: [String(pressed.length)] });
  });
  await using host = await Host.start(ext);
  const answer = await host.command("say", "ls");
  assert.deepEqual(answer.fields, Response.toolPrompt("bash", { command: "ls" }, "go").fields);
  assert.deepEqual(answer.toolCall, { tool: "bash", args: { command: "ls" } });
  assert.deepEqual([answer.action, answer.prompt], ["tool_prompt", "go"]);
  await assert.rejects(host.command("nobody"), { name: "Misuse", message: "the extension offers no command nobody: it offers say, show" });
  assert.equal((await host.command("SAY", "ls")).prompt, "go");
  assert.deepEqual(host.commands.map(({ name }) => name), ["say", "show"]);

  await assert.rejects(host.key("p", "up"), { name: "Misuse", message: "no panel p is open" });
  assert.deepEqual((await host.command("show")).panel?.lines, ["0"]);
  await host.key("p", "up");
  await host.key("p", "x");
  await host.resizePanel("p", 80, 25);
  assert.deepEqual(host.panel("p"), { id: "p", title: "T", lines: ["3"], footer: "f" });
  await host.closePanel("p");
  assert.deepEqual(host.panels, []);
  assert.deepEqual(pressed, ["up", "x", 80, "close"]);
});

test("events are handled when the step returns, and what they say is there", async () => {
  const ext = make();
  const told: unknown[] = [];
  ext.on("turn_end", async ({ stop, error }, ctx) => {
    await sleep(5);
    told.push(stop, error);
    ctx.notify("ended", "warn");
    ctx.log("noted", "debug", { n: 1 });
    ctx.submit("/more");
  });
  await using host = await Host.start(ext);
  for (const stop of ["a", "b"]) {
    await host.event("turn_end", { stop, error: "none" });
    assert.deepEqual(told.slice(-2), [stop, "none"]);
  }
  assert.deepEqual(host.notes, [{ level: "warn", message: "ended" }, { level: "warn", message: "ended" }]);
  assert.deepEqual(host.logs[0], { level: "debug", message: "noted", fields: { n: 1 } });
  assert.deepEqual(host.submitted, ["/more", "/more"]);
  const message = "the extension does not listen to turn_start: it listens to turn_end";
  await assert.rejects(host.event("turn_start"), { name: "Misuse", message });
});

test("a message has its role and its blocks", async () => {
  const ext = make();
  const told: unknown[] = [];
  ext.on("message_end", ({ message }) => void told.push(message));
  await using host = await Host.start(ext);
  const message = { role: "user", content: [{ type: "text", text: "Hello." }] } as const;
  await host.event("message_end", { message });
  assert.deepEqual(told, [message]);
});

test("a handler of an event is told of the tools that it names", async () => {
  const ext = make();
  const told: string[] = [];
  ext.on("tool_result", ({ toolName }) => void told.push(`some ${toolName}`), { tools: ["bash", "mcp_*"] });
  ext.on("tool_result", ({ toolName }) => void told.push(`one ${toolName}`), { tools: ["bash"] });
  await using host = await Host.start(ext);
  for (const toolName of ["bash", "read", "mcp_x"]) await host.event("tool_result", { toolName });
  assert.deepEqual(told, ["some bash", "one bash", "some mcp_x"]);
  const wrong = (event: "tool_call", tools: string[]) => () => make().on(event, () => {}, { tools });
  assert.throws(wrong("tool_call", []), /name at least one tool/);
  assert.throws(wrong("tool_call", ["a\\b"]), /a backslash stands only before/);
  assert.throws(wrong("turn_end" as "tool_call", ["bash"]), /about no tool/);
});

test("interceptors rewrite in their order, and guards see the result", async () => {
  const ext = make();
  ext.intercept("tool_call", (call) => call.rewrite({ ...call.args, timeout: 9 }));
  ext.guard("onlyLimited", (call) => {
    if (call.args["timeout"] !== 9 || String(call.args["command"]).includes("rm")) return call.block("no");
    return undefined;
  });
  ext.intercept("before_agent_start", (start) => start.systemPrompt(`by ${start.model}`));
  await using host = await Host.start(ext, { model: "m1" });
  const ruling = await host.intercept("tool_call", { tool: "bash", args: { command: "ls" } });
  assert.deepEqual(ruling.rewritten, { command: "ls", timeout: 9 });
  assert.equal(ruling.isAllowed, false);
  assert.equal((await host.intercept("tool_call", { tool: "bash", args: { command: "rm" } })).blocked, "no");
  assert.equal((await host.intercept("before_agent_start", { systemPrompt: "s" })).systemPrompt, "by m1");
  assert.equal((await host.intercept("assistant_message", { text: "hi" })).isAllowed, true);
  await assert.rejects(host.intercept("tool_cal"), { name: "Misuse", message: /^there is no point tool_cal: there are tool_call, / });
});

/** How an intercept goes through the handlers: what every SDK is held to. */
interface InterceptChain {
  readonly name: string;
  readonly point?: "assistant_message" | "tool_result" | "user_prompt_submit";
  readonly on_failure?: "allow" | "block";
  readonly interceptors: readonly (Record<string, any> | null)[];
  readonly guards: readonly (Record<string, any> | null)[];
  readonly seen: unknown;
  readonly ruling: any;
}

const CHAINS: InterceptChain[] = JSON.parse(readFileSync(join(ROOT, "protocol/tests/intercept_chains.json"), "utf8"));

for (const profile of ["spec", "zot-0.1.62"]) {
  test(`handlers are asked and heard as in every SDK, on ${profile}`, async () => {
    for (const chain of CHAINS) {
      const ext = make();
      const seen: unknown[] = [];
      const saw = (who: string, what: unknown, does: Record<string, any> | null) => {
        seen.push([who, what]);
        if (does !== null && "fail" in does) throw new Error(does["fail"]);
      };
      const options = chain.on_failure && { onFailure: chain.on_failure };
      chain.interceptors.forEach((does, index) => {
        if (chain.point === "tool_result") {
          ext.intercept("tool_result", (answer) => {
            saw(`interceptor ${index}`, [answer.text, answer.isError, answer.structuredContent ?? null], does);
            if (does === null) return undefined;
            if ("withhold" in does) return answer.withhold(does["withhold"]);
            if ("fail_result" in does) return answer.fail(does["fail_result"]);
            const { content, structured_content: structuredContent, details, is_error: isError } = does["replace"];
            return answer.replace(content, { structuredContent, details, isError });
          }, options);
        } else if (chain.point === "user_prompt_submit") {
          ext.intercept("user_prompt_submit", (prompt) => {
            saw(`interceptor ${index}`, prompt.text, does);
            if (does === null) return undefined;
            if ("handled" in does) return prompt.handled();
            return "block" in does ? prompt.block(does["block"]) : prompt.replace(does["text"]);
          }, options);
        } else if (chain.point) {
          ext.intercept(chain.point, (message) => {
            saw(`interceptor ${index}`, message.text, does);
            return does === null ? undefined : message.replace(does["text"]);
          }, options);
        } else {
          ext.intercept("tool_call", async (call) => {
            saw(`interceptor ${index}`, call.args, does);
            return does === null ? undefined : "block" in does ? call.block(does["block"]) : call.rewrite(does["args"]);
          }, options);
        }
      });
      chain.guards.forEach((does, index) => ext.guard(String(index), (call) => {
        saw(`guard ${index}`, call.args, does);
        if (does === null) return undefined;
        return "ask" in does ? call.ask(does["ask"]) : call.block(does["block"]);
      }));
      await using host = await Host.start(ext, { profile });
      const result = { content: [{ type: "text", text: "one" }], structured_content: { n: 1 } };
      const ruling = !chain.point
        ? await host.intercept("tool_call", { tool: "bash", args: { n: 1 } })
        : await host.intercept(chain.point, chain.point === "tool_result" ? { tool: "bash", result } : { text: "one" });
      if (profile !== "spec" && ["tool_result", "user_prompt_submit"].includes(chain.point!)) {
        // No zot asks there.
        assert.deepEqual([seen, ruling.isAllowed], [[], true], chain.name);
        continue;
      }
      assert.deepEqual(seen, chain.seen, chain.name);
      const [handler, why] = ruling.blocked?.split(" failed: ") ?? [];
      const came = ruling.isAllowed ? "allowed"
        : why !== undefined ? { failed: handler }
        : handler !== undefined ? { blocked: handler }
        : ruling.asked !== undefined ? { asked: ruling.asked }
        : ruling.result ? { result: ruling.result }
        : ruling.handled ? { handled: true }
        : chain.point ? { text: ruling.replaced } : { args: ruling.rewritten };
      // A zot cannot ask, and blocks.
      const asked = profile !== "spec" ? chain.ruling.asked : undefined;
      assert.deepEqual(came, asked === undefined ? chain.ruling : { blocked: asked }, chain.name);
    }
  });
}

test("the test answers what the extension asks for", async () => {
  const ext = make();
  ext.tool("ask", { description: "d" }, async (_args, ctx) => (await ctx.callTool("read", { path: "p" })).text);
  ext.tool("own", { description: "d" }, async (_args, ctx) => (await ctx.callTool("leaf")).text);
  ext.tool("leaf", { description: "d" }, () => "of its own");
  ext.tool("unknown", { description: "d" }, (_args, ctx) => ctx.callTool("nobody").then(({ text }) => text));
  ext.tool("breaks", { description: "d" }, (_args, ctx) => ctx.callTool("broken").then(({ text }) => text));
  ext.tool("never", { description: "d" }, (_args, ctx) => ctx.callTool("silent").then(({ text }) => text));
  ext.tool("method", { description: "d" }, (_args, ctx) => ctx.request("ui/pick", { of: [1, 2] }));
  ext.tool("refused", { description: "d" }, (_args, ctx) => ctx.request("ui/no"));
  await using host = await Host.start(ext, {
    tools: { read: async ({ path }: { path: string }) => `text of ${path}`, silent: null, broken: () => assert.fail("no disk") },
    methods: {
      "ui/pick": ({ of }: { of: number[] }) => of[1],
      "ui/no": () => {
        throw ToolError.permission("not you");
      },
    },
  });
  assert.equal((await host.call("ask")).text, "text of p");
  assert.equal((await host.call("own")).text, "of its own");
  assert.match((await host.call("unknown")).text, /unknown tool nobody/);
  const broken = await host.call("breaks");
  assert.deepEqual([broken.isError, /broken failed: .*no disk/.test(broken.text)], [true, true]);
  assert.equal((await host.call("method")).value ?? (await host.call("method")).text, 2);
  assert.equal((await host.call("refused")).kind, "permission");
  const call = await host.begin("never");
  await host.cancel(call);
  assert.equal((await host.finish(call)).kind, "cancelled");
});

test("methods answer with a value, parts or an error", async () => {
  const ext = make();
  ext.method("sum", (params) => (params as number[]).reduce((sum, one) => sum + one, 0));
  ext.method("fails", () => {
    throw ToolError.notFound("nothing there");
  });
  await using host = await Host.start(ext);
  assert.equal((await host.request("sum", [1, 2])).value, 3);
  const failed = await host.request("fails");
  assert.deepEqual([failed.kind, failed.error?.message], ["not_found", "nothing there"]);
  await assert.rejects(host.request("nobody"), { name: "Misuse", message: /the peer does not offer "nobody"/ });
});

test("the extension is told what the test says of the host", async () => {
  const ext = make();
  ext.tool("where", { description: "d" }, (_args, { host, session, dataDir, deadline }) => ({
    name: host.name,
    model: host.model,
    cwd: host.cwd,
    limit: host.limits.frameBytes,
    update: host.supports("tool_update"),
    session: session?.id ?? "",
    dataDir: dataDir ?? "",
    isTimed: deadline !== undefined,
  }));
  await using host = await Host.start(ext, {
    model: "m",
    cwd: "/c",
    dataDir: "/d",
    session: "s",
    limits: { frameBytes: 5_000_000 },
    capabilities: ["log"],
  });
  const { value } = await host.call("where");
  assert.deepEqual(value, {
    name: "extline testing",
    model: "m",
    cwd: "/c",
    limit: 5_000_000,
    update: false,
    session: value.session,
    dataDir: "/d",
    isTimed: value.isTimed,
  });
});

test("a host can refuse registrations, and be like a zot", async () => {
  const ext = make();
  ext.tool("a", { description: "d" }, () => "a");
  ext.tool("b", { description: "d" }, () => "b");
  waiting(ext);
  {
    await using host = await Host.start(ext, { reject: [["tool", "a"]] });
    assert.deepEqual(host.tools.map(({ name }) => name), ["b", "wait"]);
  }
  await using zot = await Host.start(ext, { profile: "zot-0.1.62" });
  const call = await zot.begin("wait");
  await assert.rejects(zot.cancel(call), { name: "Misuse", message: "a host like this never cancels a call" });
  await assert.rejects(Host.start(make(), { profile: "zot-9" }), { name: "Misuse", message: /zot-9/ });
});

test("an extension that requires what is refused ends, and the host says how", async () => {
  const ext = make();
  ext.tool("a", { description: "d", required: true }, () => "a");
  await assert.rejects(
    (async () => {
      await using host = await Host.start(ext, { reject: [["tool", "a"]] });
      await host.waitUntil("the end", () => false);
    })(),
    (error) => error instanceof Ended && /has ended with exit code 78\nthe frames:/.test(error.message),
  );
});

test("what setup registers is of one host alone, and the extension can be hosted again", async () => {
  const ext = make();
  let ended = 0;
  let told = 0;
  ext.setup(async (ctx) => {
    await sleep(2);
    ext.on("turn_end", () => void (told += 1));
    ext.tool(ctx.host.model, { description: "d" }, () => "there");
  });
  ext.teardown(async () => {
    await sleep(2);
    ended += 1;
  });
  for (const model of ["one", "two", "one"]) {
    await using host = await Host.start(ext, { model });
    assert.deepEqual(host.tools.map(({ name }) => name), [model]);
    assert.equal((await host.call(model)).text, "there");
    await host.event("turn_end");
  }
  assert.deepEqual({ ended, told }, { ended: 3, told: 3 });
});

test("an extension has one host at a time", async () => {
  const ext = make();
  await using host = await Host.start(ext);
  await assert.rejects(Host.start(ext), {
    name: "Misuse",
    message: /^test runs already: close the host that was started at \S+testing\.test\.mjs:\d+ first$/,
  });
  assert.equal(await host.shutdown(), 0);
  await assert.rejects(host.call("x"), { name: "Ended", message: /has ended with exit code 0/ });
});

test("a step that takes too long fails with its name, the deadline and the frames", async () => {
  const ext = make();
  waiting(ext);
  await using host = await Host.start(ext, { deadlineMs: 60 });
  const failure = await host.call("wait").catch((error: unknown) => error);
  assert.ok(failure instanceof TimedOut && failure instanceof Failure);
  const [first, ...frames] = failure.message.split("\n");
  assert.equal(first, "the tool wait did not answer within 60 ms, the deadline of this testing host");
  assert.match(frames.join("\n"), /^the frames:\n[^]*\n  host      > \{"type":"tool_call"/);
  host.deadlineMs = 5_000;
});

test("a failed assertion shows the frames in Host.with", async () => {
  const ext = make();
  ext.tool("now", { description: "d" }, () => "noon");
  const failing = Host.with(ext, async (host) => assert.equal((await host.call("now")).text, "midnight"));
  const error = await failing.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof assert.AssertionError);
  for (const text of [error.message, error.stack]) {
    assert.match(text ?? "", /midnight[^]*the frames:[^]*"text":"noon"/);
  }
  assert.equal(await Host.with(ext, async (host) => (await host.call("now")).text), "noon");
});

test("an answer beyond what the host takes is an error", async () => {
  const ext = make();
  ext.tool("big", { description: "d" }, () => "x".repeat(5_000_000));
  {
    await using host = await Host.start(ext);
    assert.equal((await host.call("big")).kind, "too_large");
  }
  await using host = await Host.start(ext, { limits: { frameBytes: 8_000_000 } });
  assert.equal((await host.call("big")).text.length, 5_000_000);
});

test("the end answers the calls that wait, and a host is closed once", async () => {
  const ext = make();
  waiting(ext);
  const host = await Host.start(ext);
  const call = await host.begin("wait");
  assert.equal(await host.shutdown(), 0);
  assert.equal((await host.finish(call)).kind, "cancelled");
  await assert.rejects(host.call("wait"), { name: "Ended" });
  await host.close();
  await host.close();
});

test("faked timers do not stop the host", async (t) => {
  const ext = make();
  ext.tool("now", { description: "d" }, (_args, ctx) => (ctx.update("x"), "noon"));
  t.mock.timers.enable();
  await using host = await Host.start(ext);
  assert.equal((await host.call("now")).text, "noon");
});

test("misuse is told by its name", () => {
  const error = new Misuse("x");
  assert.deepEqual([error.name, String(error)], ["Misuse", "Misuse: x"]);
});

test("a handler of an event or a panel that fails, fails its step, unless the test expects it", async () => {
  const ext = make();
  const thrown = new RangeError("mine");
  ext.on("turn_end", async () => {
    await sleep(1);
    throw thrown;
  });
  ext.command("show", "shows", () => Response.openPanel({ id: "p" }));
  ext.panel("p", () => assert.fail("broken"));
  await using host = await Host.start(ext);
  const failed = await host.event("turn_end").catch((error: unknown) => error);
  assert.ok(failed instanceof HandlerFailed && failed instanceof Failure);
  assert.match(failed.message, /^the handler of the event turn_end failed: RangeError: mine\nthe frames:/);
  assert.equal(failed.cause, thrown);
  await host.command("show");
  await assert.rejects(host.key("p", "up"), { name: "HandlerFailed", message: /^the handler of the panel p failed: AssertionError: broken/ });
  // Each is told once.
  await host.settle();
});

test("the handler of an event that returns a decision fails its step", async () => {
  const ext = make();
  ext.on("tool_call", (() => ({ block: true })) as never);
  await using host = await Host.start(ext);
  await assert.rejects(host.event("tool_call", { toolName: "bash" }), { name: "HandlerFailed", message: /looks like a decision, and an event is only told: ext\.guard/ });
});

test("setup has the time that a host gives it, and what it throws stands in the failure", async () => {
  const slow = make();
  slow.setup(() => sleep(PATIENCE, undefined, { ref: false }));
  await assert.rejects(Host.start(slow), { name: "TimedOut", message: /^the extension did not become ready within 3000 ms, and a host goes on without what is not registered by then/ });
  const broken = make();
  broken.setup(() => Promise.reject(new Error("no disk")));
  await assert.rejects(Host.start(broken), { name: "Ended", message: /^the extension did not become ready: the extension has ended with exit code 1; setup failed: Error: no disk\n/ });
});

test("teardown has the time that a host gives it, and what it throws fails the test", async () => {
  const slow = make();
  slow.teardown(() => sleep(PATIENCE, undefined, { ref: false }));
  const host = await Host.start(slow);
  await assert.rejects(host.close(), { name: "HandlerFailed", message: /^teardown failed: Error: teardown did not end in time: it has 1\.25 s from the beginning of the end/ });
  const broken = make();
  broken.teardown(() => assert.fail("no disk"));
  await assert.rejects(Host.with(broken, () => {}), { name: "HandlerFailed", message: /^teardown failed: AssertionError: no disk/ });
  // A failure of the test itself counts first.
  await assert.rejects(Host.with(broken, () => assert.fail("the test's")), { message: /^the test's/ });
});

test("a structured result is held to the output that its tool declared", async () => {
  const ext = make();
  const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  ext.tool("right", { description: "d", output }, () => ({ n: 1 }));
  ext.tool("wrong", { description: "d", output }, (() => ({ n: "1" })) as never);
  ext.tool("none", { description: "d", output }, () => new ToolResult<{ n: number }>("text"));
  ext.tool("fails", { description: "d", output }, () => {
    throw ToolError.notFound("gone");
  });
  await using host = await Host.start(ext);
  assert.deepEqual((await host.call("right")).value, { n: 1 });
  await assert.rejects(host.call("wrong"), (error) => error instanceof Unusable && error.message.startsWith('the structured result of the tool wrong does not match its output schema: /n: must be an integer, and is "1"\n'));
  await assert.rejects(host.call("none"), { name: "Unusable", message: /does not match its output schema: there is none/ });
  assert.equal((await host.call("fails")).kind, "not_found");
});

test("a tool says of a call whether it is to be approved", async () => {
  const ext = make();
  const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
  const says = (city: string): unknown => {
    if (city === "Limbo") throw new Error("nobody knows");
    return { Rome: false, Bonn: true, Hell: { policy: "deny", reason: "it is too hot" }, Ur: { key: "{city}", tier: undefined } }[city] ?? { policy: city };
  };
  ext.tool("weather", { description: "d", input, gated: async ({ city }) => says(city) as boolean, approval: { tier: "read" } }, () => "fog");
  await using host = await Host.start(ext);
  assert.match(String(host.transcript), /"methods":\["tool.approval"\]/);
  assert.match(String(host.transcript), /"approval":\{"gated":true,"dynamic":true,"tier":"read"\}/);
  const ask = (city: unknown, tool = "weather") => host.request("tool.approval", { tool, args: { city } });
  assert.deepEqual((await ask("Rome")).value, { policy: "allow" });
  assert.deepEqual((await ask("Bonn")).value, { policy: "prompt" });
  assert.deepEqual((await ask("Hell")).value, { policy: "deny", reason: "it is too hot" });
  assert.deepEqual((await ask("Ur")).value, { key: "{city}" });
  const failed = async (asked: ReturnType<typeof ask>) => [(await asked).error?.code, (await asked).error?.message];
  assert.match((await failed(ask("Limbo"))).join(), /^internal,.*nobody knows/);
  assert.match((await failed(ask("perhaps"))).join(), /^internal,.*gated returned {"policy":"perhaps"}: \/policy: expected "allow", "deny" or "prompt", found "perhaps"/);
  assert.match((await failed(ask("Rome", "none"))).join(), /^not_found,no tool none says more/);
  assert.equal((await host.request("tool.approval", [])).error?.code, "validation");
});
