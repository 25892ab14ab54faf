// docs/typescript/testing.md: its files are written, compiled and run, by node:test and by vitest.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const sdk = join(import.meta.dirname, "..");
const page = readFileSync(join(sdk, "../docs/typescript/testing.md"), "utf8");
// A folder as an author has one; the other packages are found further up.
const folder = join(sdk, "build/docs-testing");
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "node_modules"), { recursive: true });
writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');
symlinkSync(sdk, join(folder, "node_modules/extline"));

const files = new Map(Array.from(page.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm), ([, name = "", text = ""]) => [name, text]));

function write(name: string, text = files.get(name)): void {
  assert.ok(text, `the page has no ${name}`);
  writeFileSync(join(folder, name), text);
}

function run(...args: string[]): { code: number | null; said: string } {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const options = { cwd: folder, encoding: "utf8", env: { ...env, NO_COLOR: "1" } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { code: status, said: stdout + stderr };
}

for (const name of files.keys()) write(name);
const withVitest = files.get("weather.test.ts")!.replace("node:test", "vitest");

test("the samples are right in the strictest mode", () => {
  write("vitest.test.ts", withVitest);
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--target", "es2022"];
  const modules = ["--lib", "es2023,esnext.disposable", "--module", "preserve", "--allowImportingTsExtensions", "--types", "node"];
  const sources = ["weather.test.ts", "vitest.test.ts"].map((name) => join(folder, name));
  execFileSync(join(sdk, "node_modules/.bin/tsc"), [...options, ...modules, ...sources], { stdio: "inherit" });
});

test("node:test runs the page", () => {
  const { code, said } = run("--import", "tsx", "--test", "--test-reporter", "tap", "weather.test.ts");
  assert.equal(code, 0, said);
  assert.match(said, /# pass 6\n/);
  assert.match(said, /Berlin has fog \(berlin-has-fog, weather.toml:1\)/);
});

test("vitest runs the page", () => {
  write("vitest.test.ts", withVitest);
  const { code, said } = run(join(sdk, "node_modules/vitest/vitest.mjs"), "run", "vitest.test.ts");
  assert.equal(code, 0, said);
  assert.match(said, /Tests {2}6 passed/);
});

test("what fails reads as the page says", () => {
  const shown = Array.from(page.matchAll(/^```text\n([^]*?)\n```$/gm), ([, text = ""]) => text);
  write("rain.toml", files.get("weather.toml")!.replace("°C, fog", "°C, rain"));
  write(
    "fails.mts",
    `import { Host, playCases } from "extline/testing";
import { ext } from "./weather.ts";
const say = (error: unknown) => console.log(String(error));
await Host.with(ext, (host) => host.call("weather", { city: "Slowtown" }), { deadlineMs: 100 }).catch(say);
await playCases("rain.toml", ext).catch(say);
`,
  );
  const { said } = run("--import", "tsx", "fails.mts");
  assert.equal(shown.length, 2);
  for (const text of shown) assert.ok(said.includes(text.replace("weather.toml", "rain.toml")), `${text}\n\n${said}`);
});

test("every step of the table is there, and no other is left out", async () => {
  const { Host } = await import("extline/testing");
  const table = page.split("| step |")[1]!.split("\n\n")[0]!;
  const named = Array.from(table.matchAll(/`([a-zA-Z]+)[`(]/g), ([, name]) => name);
  const members = Object.getOwnPropertyNames(Host.prototype);
  const others = ["constructor", "close", "transcript", "deadlineMs", "talk"];
  for (const name of members) assert.ok(named.includes(name) || others.includes(name), `the page does not name ${name}`);
});
