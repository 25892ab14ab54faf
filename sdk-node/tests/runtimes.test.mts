// Deno and Bun, where they are installed: their names are looked up on the PATH.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { extension } from "./program.mjs";
import { install, run, says, scratch } from "./repository.mjs";

const RUNTIMES = [["deno", "run", "-A"], ["bun"]] as const;

for (const command of RUNTIMES) {
  const [name, ...options] = command;
  const { error } = spawnSync(name, ["--version"]);
  test(`an extension runs in ${name}`, { skip: error && `${name} is not installed` }, async () => {
    const folder = scratch();
    install(folder);
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "test.mjs"), extension(`
ext.tool("hello", { description: "x" }, async (_, ctx) => { console.log("stray"); ctx.update("on it"); await sleep(1); return "from ${name}"; });
ext.guard("no rm", (call) => { if (call.args.command === "rm") call.block("refused"); });`));
    const manifest = { name: "test", version: "1.0.0", exec: name, args: [...options, "test.mjs"] };
    writeFileSync(join(folder, "extension.json"), JSON.stringify(manifest));
    assert.equal(await says("extline", ["call", folder, "hello"]), `from ${name}\n`);
    // A SIGTERM ends it, and not the end of a patience.
    const program = spawn(name, [...options, "test.mjs"], { cwd: folder, stdio: "pipe" });
    const said = text(program.stderr);
    program.stdout.once("data", () => program.kill("SIGTERM"));
    const [status] = await once(program, "exit");
    assert.deepEqual([status, await said], [143, ""]);
    // Every case that needs no tool of its own, with ends, signals, cancels and torn writes.
    const { code, stdout } = await run("extline", ["conformance", "--only", "E-TOL", "--only", "E-LIF", "--only", "E-INT", folder]);
    assert.equal(code, 0, stdout);
  });

  test(`the testing host runs in ${name}`, { skip: error && `${name} is not installed` }, async () => {
    const folder = scratch();
    install(folder);
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "test.mjs"), `
import { Extension } from "extline";
import { Host } from "extline/testing";
const ext = new Extension("test", "1.0.0");
ext.tool("hello", { description: "x" }, async (_, ctx) => { ctx.update("on it"); return "from ${name}"; });
ext.guard("no rm", (call) => call.block("refused"));
ext.on("turn_end", () => { throw new Error("no disk"); });
const host = await Host.start(ext);
const { text } = await host.call("hello");
const { blocked } = await host.intercept("tool_call", { tool: "rm", args: {} });
const { name } = await host.event("turn_end").catch((failure) => failure);
await host.close();
console.log([text, blocked, name].join());`);
    const { stdout, stderr } = await run(name, [...options, "test.mjs"], { folder });
    assert.equal(stdout, `from ${name},refused,HandlerFailed\n`, stderr);
  });
}
