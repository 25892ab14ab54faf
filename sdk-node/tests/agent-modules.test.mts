// The modules that `extline install` writes for opencode and pi, called as these agents call them.
import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { BUILT, ROOT, run, says, scratch } from "./repository.mjs";

const AGENTS = { opencode: ".opencode/plugins/extline.js", pi: ".pi/extensions/extline.js" };
const EXTLINE = JSON.stringify(join(BUILT, "extline"));

const folder = scratch();
const [guard, project] = [join(folder, "guard"), join(folder, "project")];
for (const made of [guard, project, join(folder, "run")]) mkdirSync(made);
// The modules pass on the environment of the agent, which is this process.
process.env["XDG_RUNTIME_DIR"] = join(folder, "run");
process.env["EXTLINE_HOME"] = folder;
cpSync(join(ROOT, "cli/tests/hook/guard.py"), join(guard, "guard.py"));
const manifest = { name: "guard", version: "1.0.0", exec: "./guard.py", guards: ["tool_call"] };
writeFileSync(join(guard, "extension.json"), JSON.stringify(manifest));
for (const agent of Object.keys(AGENTS)) {
  await says("extline", ["install", "--for", agent, "--scope", "project", guard], { folder: project });
}
after(() => run("extline", ["hook", "--stop"], { home: folder }));

const NAMES = ["session_start", "user_prompt_submit", "tool_result", "session_end"];
let loaded = 0;

/** The module of an agent, with another text in some places. */
async function load(agent: keyof typeof AGENTS, ...changes: (readonly [string, string])[]): Promise<any> {
  let text = readFileSync(join(project, AGENTS[agent]), "utf8");
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `${from} is not in ${text}`);
    text = text.replace(from, to);
  }
  // Agents read it as a module whatever its ending is.
  const file = join(folder, `module-${++loaded}.mjs`);
  writeFileSync(file, text);
  return import(pathToFileURL(file).href);
}

type Args = { [name: string]: unknown };
type Module = Awaited<ReturnType<typeof load>>;

/** Asks opencode's module about a call; resolves to the arguments that would run. */
async function asOpencode(module: Module, args: Args): Promise<Args> {
  const hooks = await module.ExtlineHooks({ directory: project });
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args });
  return args;
}

/** What pi's module listens to. */
function handlersOfPi(module: Module, ui: object = { hasUI: false }): (name: string, event: object) => Promise<any> {
  type Handler = (event: object, ctx: object) => Promise<any>;
  const handlers = new Map<string, Handler>();
  module.default({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
  const ctx = { cwd: project, sessionManager: { getSessionId: () => "p" }, ...ui };
  return (name, event) => handlers.get(name)!(event, ctx);
}

async function asPi(module: Module, input: Args): Promise<Args> {
  const answer = await handlersOfPi(module)("tool_call", { toolName: "bash", toolCallId: "c", input });
  if (answer?.block) throw new Error(answer.reason);
  assert.equal(answer, undefined);
  return input;
}

/** What the extension was told of a session, once that is so much. */
async function told(session: string, count: number): Promise<{ [name: string]: unknown }[]> {
  for (;;) {
    const lines = readFileSync(join(guard, "events"), "utf8").trim().split("\n");
    const events = lines.map((line) => JSON.parse(line)).filter((event) => event.session_id === session);
    if (events.length >= count) return events;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

for (const [agent, ask, timeout] of [["opencode", asOpencode, 2000], ["pi", asPi, 2]] as const) {
  test(`${agent} blocks, rewrites and runs as a guard says`, async () => {
    const module = await load(agent);
    await assert.rejects(ask(module, { command: "forbidden" }), { message: "blocked by guard: REASON" });
    assert.deepEqual(await ask(module, { command: "rewrite" }), { command: "rewrite", timeout });
    assert.deepEqual(await ask(module, { command: "ls" }), { command: "ls" });
    await assert.rejects(ask(module, { command: "die" }), /^Error: blocked by guard: /);
  });

  describe(`${agent} runs no tool where nobody can decide`, () => {
    const program = join(folder, `not-extline-${agent}`);
    for (const [does, says] of [
      ["exit 3", /it ended with exit code 3$/],
      ["echo why >&2; exit 2", /could not be asked: why$/],
      ["kill -9 $$", /it was ended by SIGKILL$/],
      ["echo {", /its answer cannot be read: /],
      ["echo null", /its answer says neither yes nor no$/],
      ["echo '{\"modifiedArgs\": []}'", /its answer says neither yes nor no$/],
      ["exec sleep 600", /there was no answer within 0\.2 seconds$/],
    ] as const) {
      test(does, async () => {
        writeFileSync(program, `#!/bin/sh\n${does}\n`);
        chmodSync(program, 0o755);
        const time = does.includes("sleep") ? "200" : "60000";
        const patience = ["MILLISECONDS = 30000", `MILLISECONDS = ${time}`] as const;
        const module = await load(agent, [EXTLINE, JSON.stringify(program)], patience);
        await assert.rejects(ask(module, { command: "ls" }), says);
      });
    }

    test("a program that is gone", async () => {
      const module = await load(agent, [EXTLINE, JSON.stringify(join(folder, "gone"))]);
      await assert.rejects(ask(module, { command: "ls" }), /could not be asked: spawn .* ENOENT$/);
    });

    test("arguments that are no JSON", async () => {
      await assert.rejects(ask(await load(agent), { command: 1n }), /could not be asked/);
    });
  });
}

test("a person decides where a guard asks and the agent can", async () => {
  const call = { toolName: "bash", toolCallId: "c", input: { command: "ask" } };
  await assert.rejects(asOpencode(await load("opencode"), { command: "ask" }), /it is grave \(a person is to be asked, and opencode has no way to\)/);
  const pi = await load("pi");
  assert.match((await handlersOfPi(pi)("tool_call", call)).reason, /it is grave \(nobody is there to be asked\)/);
  const shown: unknown[] = [];
  const confirm = (answer: boolean) => ({ hasUI: true, ui: { confirm: async (...said: unknown[]) => (shown.push(said), answer) } });
  assert.equal(await handlersOfPi(pi, confirm(true))("tool_call", call), undefined);
  assert.match((await handlersOfPi(pi, confirm(false))("tool_call", call)).reason, /the user said no: guard: it is grave/);
  assert.deepEqual(shown[0], ["guard: it is grave", 'bash {"command":"ask"}']);
});

test("each guard sees what the interceptor of another made", async () => {
  const other = join(folder, "other");
  const there = join(folder, "both");
  for (const made of [other, there]) mkdirSync(made);
  const source = readFileSync(join(guard, "guard.py"), "utf8");
  const swaps = source
    .replace('if "forbidden" in what:', "if False:")
    .replace('if what == "again":', 'if what == "swap":\n        return {"modified_args": {"command": "forbidden"}}\n    if what == "again":');
  writeFileSync(join(other, "guard.py"), swaps);
  chmodSync(join(other, "guard.py"), 0o755);
  writeFileSync(join(other, "extension.json"), JSON.stringify({ ...manifest, name: "other" }));
  for (const dir of [guard, other]) {
    await says("extline", ["install", "--for", "opencode", "--scope", "project", dir], { folder: there });
  }
  const file = join(there, "extline.mjs");
  cpSync(join(there, AGENTS.opencode), file);
  const module = await import(pathToFileURL(file).href);
  await assert.rejects(asOpencode(module, { command: "swap" }), { message: "blocked by guard: REASON" });
  assert.deepEqual(await asOpencode(module, { command: "rewrite" }), { command: "rewrite", timeout: 2000 });
});

test("opencode tells of sessions, prompts and results", async () => {
  const hooks = await (await load("opencode")).ExtlineHooks({ directory: project });
  const say = (sessionID: string, text: string) => {
    const parts = [{ type: "text", text }, { type: "text", text: "x", synthetic: true }];
    return hooks["chat.message"]({ sessionID }, { parts });
  };
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "o" } } } });
  await say("child", "of an agent");
  await say("o", "hello");
  const args = { command: "ls" };
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "o", callID: "c", args }, { output: "a\n" });
  await hooks.dispose();
  const events = await told("o", 4);
  assert.deepEqual(events.map(({ event }) => event), NAMES);
  assert.equal(events[1]?.["text"], "hello");
  assert.deepEqual([events[2]?.["tool_name"], events[2]?.["status"]], ["bash", "completed"]);
});

test("pi tells of sessions, prompts and results", async () => {
  const handle = handlersOfPi(await load("pi"));
  const count = (await told("p", 0)).length;
  await handle("session_start", { reason: "startup" });
  await handle("before_agent_start", { prompt: "hello" });
  const content = [{ type: "text", text: "no" }, { type: "image" }];
  const result = { toolName: "read", toolCallId: "c", input: { path: "x" }, content, isError: true };
  assert.equal(await handle("tool_result", result), undefined);
  await handle("session_shutdown", { reason: "quit" });
  const events = (await told("p", count + 4)).slice(count);
  assert.deepEqual(events.map(({ event }) => event), NAMES);
  assert.equal(events[1]?.["text"], "hello");
  assert.deepEqual([events[2]?.["tool_name"], events[2]?.["status"]], ["read", "failed"]);
  assert.equal(events[3]?.["reason"], "quit");
});
