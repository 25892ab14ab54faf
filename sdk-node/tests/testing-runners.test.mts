// The testing host under test runners, and by itself: from ES modules, CommonJS and TypeScript.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const sdk = fileURLToPath(new URL("../", import.meta.url));

/** Runs Node with stdin and stdout as pipes, as a host does, and nothing that names a runner. */
function run(args: string[], more: Record<string, string> = {}): { code: number | null; out: string; err: string } {
  const { NODE_TEST_CONTEXT: _context, VITEST: _vitest, ...env } = process.env;
  const options = { cwd: sdk, encoding: "utf8", input: "", env: { ...env, NO_COLOR: "1", ...more } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { code: status, out: stdout, err: stderr };
}

const vitest = (...args: string[]) => run(["node_modules/vitest/vitest.mjs", "run", "--root", "tests/runners", ...args]);

test("vitest runs an author's tests, and each case as one", () => {
  for (const pool of ["forks", "threads"]) {
    const { code, out, err } = vitest("--reporter", "verbose", "--pool", pool);
    assert.equal(code, 0, out + err);
    assert.match(out, /✓ .*no-city-is-refused, .*weather.toml:\d+\)/);
    assert.match(out, /Tests {2}8 passed/);
  }
});

test("vitest shows the frames of what failed, and the place of the step", () => {
  const { code, out, err } = vitest("--config", "fails.config.mjs");
  assert.equal(code, 1, out + err);
  const all = out + err;
  assert.match(all, /tests\/runners\/rain.toml:6: case rain\n {2}expected {2}[^]*got [^]*fog[^]*the frames:/);
  assert.match(all, /Berlin: rain[^]*the frames:[^]*extension > [^]*tool_result/);
});

test("node:test runs a test in CommonJS, and a program without a runner keeps its stdout", () => {
  for (const args of [["--test", "tests/runners/common.cjs"], ["tests/runners/common.cjs"]]) {
    const { code, out, err } = run(args);
    assert.equal(code, 0, out + err);
    assert.match(out, /printed by the test/);
    assert.equal(err, "");
  }
});

test("stdin and stdout are given back when the test is no runner's", () => {
  const program = `
    import { Extension } from "extline";
    import { Host } from "extline/testing";
    const ext = new Extension("hello").tool("hello", { description: "Says hello." }, () => (console.log("in it"), "hello"));
    await using host = await Host.start(ext);
    console.log((await host.call("hello")).text);
  `.replace("await using host", "const host");
  const { code, out, err } = run(["--input-type=module", "--eval", `${program}\nawait host.close();`]);
  assert.deepEqual({ code, out, err }, { code: 0, out: "in it\nhello\n", err: "" });
  const claimed = run(["--input-type=module", "--eval", 'import "extline"; console.log("x")']);
  assert.equal(claimed.out, "");
});
