// How the agent stands, and what handlers have it do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension, ToolError } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, scratch } from "./repository.mjs";

test("what is said goes to the host and comes back", async () => {
  const ext = new Extension("plan", "1.0.0");
  ext.tool("all", { description: "Asks for all there is." }, async (_, { agent }) => {
    const { model } = await agent.state();
    const changed = [await agent.deactivate(["a"]), await agent.activate(["b"])];
    return JSON.stringify([model, await agent.tools(), changed, await agent.models(), await agent.abort("enough")]);
  });
  ext.tool("wrong", { description: "Asks for what is none." }, async (_, { agent }) => {
    await agent.deactivate("write" as unknown as string[]);
  });
  ext.tool("unsupported", { description: "Asks for nothing." }, async (_, { agent }) => {
    const error: unknown = await agent.state().catch((thrown: unknown) => thrown);
    return error instanceof ToolError ? error.kind : "asked";
  });
  const asked: unknown[] = [];
  const method = (answer: unknown) => (params: unknown) => (asked.push(params), answer);
  const tool = { name: "a", description: "", active: true };
  const models = [{ id: "m-1", provider: "p", current: true }];
  const methods = {
    "agent.state": method({ idle: false, model: "m-1" }),
    "tools.list": method({ tools: [tool] }),
    "tools.deactivate": method({ changed: ["a"] }),
    "tools.activate": method({ changed: [] }),
    "models.list": method({ models }),
    "agent.abort": method({ calls: 2 }),
  };
  await Host.with(
    ext,
    async (host) => {
      const said: unknown = JSON.parse((await host.call("all")).text);
      assert.deepEqual(said, ["m-1", [tool], [["a"], []], models, 2]);
      assert.deepEqual(asked.at(-1), { reason: "enough" });
      assert.match((await host.call("wrong")).text, /the names of tools are a list, and this is a string/);
    },
    { methods },
  );
  await Host.with(ext, async (host) => assert.equal((await host.call("unsupported")).text, "unsupported"));
});

test("the page holds", () => {
  const page = readFileSync(join(ROOT, "docs/agent-state.md"), "utf8");
  const [, program] = /^```typescript plan\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "plan.mjs"), program.replace(" as const", ""));
  const env = { ...process.env, EXTLINE_HOME: join(folder, "home") };
  const lines = '!plan {"on":true}\n!write\n!plan {"on":false}\n!write\n';
  const words = ["run", "--", process.execPath, "plan.mjs"];
  const done = spawnSync(join(BUILT, "extline"), words, { cwd: folder, env, input: lines, encoding: "utf8" });
  assert.match(done.stdout, /off: write.*on: write.*wrote/s, done.stderr);
  assert.match(done.stdout + done.stderr, /write is not active: plan has deactivated it/);
});
