// Deno and Bun, where they are installed: their names are looked up on the PATH.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
    // Every case that needs no tool of its own, with ends, signals, cancels and torn writes.
    const { code, stdout } = await run("extline", ["conformance", "--only", "E-TOL", "--only", "E-LIF", "--only", "E-INT", folder]);
    assert.equal(code, 0, stdout);
  });
}
