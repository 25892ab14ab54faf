// Programs that the host runs for a handler.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension, ToolError } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, scratch } from "./repository.mjs";

function files(): Extension {
  const ext = new Extension("files", "1.0.0");
  ext.tool("files", { description: "Lists files." }, async (_, ctx) => {
    const ran = await ctx.exec("git", ["ls-files"], { cwd: "below", env: { A: null }, stdin: "x", timeoutMs: 1500, maxBytes: 9 });
    return JSON.stringify(ran);
  });
  ext.tool("streamed", { description: "Lists files." }, async (_, ctx) => {
    const texts: string[] = [];
    const ran = await ctx.exec("ls", [], { onOutput: (text, stream) => texts.push(`${stream}: ${text}`) });
    return `${texts.join(", ")}; ${ran.ok}`;
  });
  ext.tool("wrong", { description: "Runs what is none." }, async (_, ctx) => {
    await ctx.exec("ls", "-l" as unknown as string[]);
  });
  ext.tool("unsupported", { description: "Runs nothing." }, async (_, ctx) => {
    const error: unknown = await ctx.exec("ls").catch((thrown: unknown) => thrown);
    return error instanceof ToolError ? error.kind : "ran";
  });
  return ext;
}

test("what is said goes to the host and comes back as a result", async () => {
  const asked: unknown[] = [];
  const run = (params: unknown) => (asked.push(params), { code: 3, stdout: "a\n", stderr: "b", truncated: true });
  await Host.with(
    files(),
    async (host) => {
      const ran = JSON.parse((await host.call("files")).text) as unknown;
      assert.deepEqual(ran, { ok: false, code: 3, timedOut: false, truncated: true, stdout: "a\n", stderr: "b" });
    },
    { methods: { "exec.run": run } },
  );
  assert.deepEqual(asked, [
    { command: "git", args: ["ls-files"], cwd: "below", env: { A: null }, stdin: "x", timeout_ms: 1500, max_bytes: 9 },
  ]);
});

test("what it writes is handed out while it runs", async () => {
  async function* run(params: unknown) {
    assert.equal((params as { stream: boolean }).stream, true);
    yield { stream: "stdout", text: "a" };
    yield { stream: "stderr", text: "b" };
    return { code: 0 };
  }
  await Host.with(
    files(),
    async (host) => assert.equal((await host.call("streamed")).text, "stdout: a, stderr: b; true"),
    { methods: { "exec.run": run } },
  );
});

test("mistakes are told in the author's words", async () => {
  await Host.with(files(), async (host) => {
    assert.match((await host.call("wrong")).text, /takes a list of arguments, as \["-l"\]/);
    assert.equal((await host.call("unsupported")).text, "unsupported");
  });
});

test("the page holds", () => {
  const page = readFileSync(join(ROOT, "docs/running-programs.md"), "utf8");
  const [, program] = /^```typescript files\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "files.mjs"), program);
  assert.equal(spawnSync("sh", ["-c", "git init -q && git add files.mjs"], { cwd: folder }).status, 0);
  const words = ["call", "files", "--allow", "exec.run(git%20ls-files)", "--", process.execPath, "files.mjs"];
  const env = { ...process.env, EXTLINE_HOME: join(folder, "home") };
  const done = spawnSync(join(BUILT, "extline"), words, { cwd: folder, env, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /files\.mjs/);
});
