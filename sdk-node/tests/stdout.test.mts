// Stdout belongs to the wire in an extension, and to the program everywhere else.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Program, text, WAYS, write } from "./program.mjs";

/** Writes to stdout by every way that there is. */
const NOISE = `
import { writeSync, write } from "node:fs";
import { execSync, spawn } from "node:child_process";
import { Worker } from "node:worker_threads";
async function noise() {
  console.log("stray log");
  process.stdout.write("stray write\\n");
  writeSync(1, "stray sync\\n");
  await new Promise((done) => write(1, "stray async\\n", done));
  execSync("echo stray child", { stdio: "inherit" });
  await new Promise((done) => spawn("sh", ["-c", "echo stray spawn; cat"], { stdio: "inherit" }).on("close", done));
  await new Promise((done) => new Worker('console.log("stray worker")', { eval: true }).on("exit", done));
}
const STRAY = ["log", "write", "sync", "async", "child", "spawn", "worker"];
`;

for (const way of WAYS) {
  test(`what is printed lands on stderr, and the wire is clean byte for byte, over ${way.over}, ${way.reader} reader`, async () => {
    const offers = (noise: string) => `
ext.tool("noisy", { description: "x" }, async () => { ${noise}; return "answer"; });
ext.teardown(async () => { ${noise}; });`;
    const outputs: string[] = [];
    for (const noise of ["", "await noise()"]) {
      const source = `import { Extension } from "extline";\n${NOISE}${noise};\nconst ext = new Extension("noisy", "1");\n${offers(noise)}\nprocess.on("exit", () => { ${noise && 'console.log("stray exit")'} });\nawait ext.run(import.meta);\n${noise};`;
      const program = await Program.run(source, way);
      assert.equal(text(await program.call("noisy", {}, "1")), "answer");
      program.send({ type: "shutdown" });
      assert.equal(await program.status(), 0);
      outputs.push(program.stdout);
      if (noise === "") continue;
      for (const kind of ["log", "write", "sync", "async", "child", "spawn", "worker"]) {
        assert.equal(program.stderr.split(`stray ${kind}\n`).length - 1, 4, `${kind}\n${program.stderr}`);
      }
      assert.match(program.stderr, /stray exit/);
    }
    assert.equal(outputs[0], outputs[1]);
  });
}

/** Runs a program that prints, over pipes, and gives back what came. */
function print(source: string, env: Readonly<Record<string, string>>, ending = "mjs") {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const file = write(source, ending);
  const command = `true | '${process.execPath}' '${file}' | cat`;
  const ran = spawnSync("sh", ["-c", command], { env: { ...inherited, ...env }, encoding: "utf8" });
  return { stdout: ran.stdout, stderr: ran.stderr };
}

const PRINTS = 'import "extline"; console.log("printed");';

test("under a test runner, and where the program says so, a mere import leaves stdout alone", () => {
  for (const env of [{ VITEST: "true" }, { JEST_WORKER_ID: "1" }, { NODE_TEST_CONTEXT: "child" }, { EXTLINE_STDIO: "leave" }]) {
    assert.deepEqual(print(PRINTS, env), { stdout: "printed\n", stderr: "" });
  }
  const required = 'require("extline"); console.log("printed");';
  assert.deepEqual(print(required, { EXTLINE_STDIO: "leave" }, "cjs"), { stdout: "printed\n", stderr: "" });
});

test("a pipeline that imports and makes no extension is told how to keep its stdout", () => {
  const { stdout, stderr } = print(PRINTS, {});
  assert.equal(stdout, "");
  assert.match(stderr, /^printed\nextline: this program loaded extline and made no Extension, .*EXTLINE_STDIO=leave/);
});

test("an extension that is made and never run is told how it runs", () => {
  const made = 'import { Extension } from "extline"; new Extension("x", "1");';
  const { stdout, stderr } = print(made, {});
  assert.equal(stdout, "");
  assert.match(stderr, /^extline: this program made an Extension and never ran it: .*await ext\.run\(import\.meta\)/);
  // Where it failed, or leaves it to the importer, there is nothing to add.
  assert.equal(print(`${made} process.exit(1);`, {}).stderr, "");
  const module = write('import { Extension } from "extline"; await new Extension("x", "1").run(import.meta);');
  assert.equal(print(`await import(${JSON.stringify(module)});`, {}).stderr, "");
});

test("without pipes a mere import leaves stdout alone", () => {
  const ran = spawnSync("sh", ["-c", `'${process.execPath}' '${write(PRINTS)}' </dev/null | cat`], { encoding: "utf8" });
  assert.deepEqual([ran.stdout, ran.stderr], ["printed\n", ""]);
});

test("with a stdin that nobody can write to, an extension fails, and says how it is tried", () => {
  const file = write('import { Extension } from "extline"; await new Extension("x", "1").run(import.meta);');
  const ran = spawnSync("sh", ["-c", `'${process.execPath}' '${file}' </dev/null 2>&1 >/dev/null`], { encoding: "utf8" });
  assert.equal(ran.status, 1);
  assert.match(ran.stdout, /they are neither pipes nor sockets: .*extline run DIR/);
  assert.ok(!ran.stdout.includes("outside of every handler"), ran.stdout);
});

test("a wrong EXTLINE_STDIO is an error that names the choices", () => {
  assert.match(print(PRINTS, { EXTLINE_STDIO: "leve" }).stderr, /EXTLINE_STDIO is "leve"; set it to "claim" .* or "leave"/);
});

test("imported by another module, run() does nothing", () => {
  const module = write('import { Extension } from "extline"; export const ext = new Extension("x", "1"); await ext.run(import.meta); console.log("passed");');
  assert.equal(print(`await import(${JSON.stringify(module)});`, { EXTLINE_STDIO: "leave" }).stdout, "passed\n");
  const common = write('const { Extension } = require("extline"); exports.ext = new Extension("x", "1"); exports.ext.run(module).then(() => console.log("passed"));', "cjs");
  assert.equal(print(`require(${JSON.stringify(common)});`, { EXTLINE_STDIO: "leave" }, "cjs").stdout, "passed\n");
});

test("in a worker run() says where it belongs", () => {
  const worker = write('import { Extension } from "extline"; await new Extension("x", "1").run();');
  const { stderr } = print(
    `import { Worker } from "node:worker_threads"; new Worker(${JSON.stringify(worker)}).on("error", (error) => console.error(error.message));`,
    { EXTLINE_STDIO: "leave" },
  );
  assert.match(stderr, /an extension runs in the main thread of its process/);
});

test("started by hand it says what it is and how to try it", (context) => {
  const file = write('const { Extension } = require("extline"); const ext = new Extension("mine", "1.2"); ext.tool("go", { description: "x" }, () => 1); ext.run(module);', "cjs");
  const ran = spawnSync("script", ["-qec", `'${process.execPath}' '${file}'`, "/dev/null"], { encoding: "utf8" });
  if (ran.error) return context.skip("needs script(1)");
  assert.match(ran.stdout, /mine 1\.2 is an extension for a coding agent[^]*extline call DIR go/);
  const started = spawnSync("script", ["-qec", `'${process.execPath}' --no-warnings '${file}'`, "/dev/null"], { encoding: "utf8" });
  assert.ok(started.stdout.includes(`-- node --no-warnings ${file}`), started.stdout);
});

test("in CommonJS it runs without a build", async () => {
  const source = `const { Extension } = require("extline");
const ext = new Extension("common", "1");
ext.tool("hello", { description: "x" }, () => "from CommonJS");
ext.run(module);`;
  const program = await Program.run(source, { ending: "cjs" });
  assert.equal(text(await program.call("hello")), "from CommonJS");
});

test("mistakes are told at the line of their author, before hello", () => {
  const cases: [string, RegExp][] = [
    ['ext.tool("bad name", { description: "x" }, () => 1);', /program-\d+\.mjs:3: tool bad name: .*bad name/],
    ['ext.tool("twice", { description: "x" }, () => 1).tool("twice", { description: "x" }, () => 1);', /:3: tool twice: there is one of that name already, at .*program-\d+\.mjs:3; rename one/],
    ['ext.command("Up", "x", () => {});ext.command("up", "x", () => {});', /:3: command up: there is one of that name already/],
    ['ext.tool("x", { description: "x", input: { type: "string" } }, () => 1);', /:3: tool x: its input is of type "string"/],
    ['ext.tool("x", { description: "x" });', /:3: tool x: its handler is missing: ext\.tool\(name, options, handler\)/],
    ['ext.guard({});', /:3: guard guard: its handler is an object, and must be a function/],
    ['new Extension("");', /:3: extension: its name is a string that is not empty/],
  ];
  for (const [mistake, expected] of cases) {
    const { stdout, stderr } = print(`import { Extension } from "extline";\nconst ext = new Extension("x", "1");\n${mistake}\nawait ext.run();`, {});
    assert.equal(stdout, "", "no hello");
    assert.match(stderr, expected);
    assert.match(stderr, /DefinitionError/);
  }
});
