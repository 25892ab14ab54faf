// Case files, played in process.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Extension } from "extline";
import { CaseFailed, Misuse, playCases, testCases } from "extline/testing";
import { ext as weather } from "./runners/weather.mjs";

const CASES = fileURLToPath(new URL("../../examples/weather-rust/tests/weather.toml", import.meta.url));

/** One that counts its calls, so that a shared host can be told from a new one. */
function counter(): Extension {
  let calls = 0;
  const ext = new Extension("counter", "1.0.0");
  ext.tool("count", { description: "counts", input: { type: "object" } }, () => String(++calls));
  ext.tool("slow", { description: "never ends" }, () => new Promise(() => {}));
  ext.on("turn_start", (_event, ctx) => ctx.notify("a turn"));
  ext.intercept("tool_call", () => undefined);
  return ext;
}

const COUNT = `{ line = '{"type":"tool_call","id":"$id","name":"count","args":{}}' }`;
const counts = (to: number | string) =>
  `steps = [${to === "$value" ? COUNT.replace("{}", '{"n":$value}') : COUNT}, { expect = '{"type":"tool_result","id":"$id","content":[{"type":"text","text":"${to}"}]}' }]`;

/** Writes cases, each given behind its id and title: the steps begin in line 4. */
async function withCases(cases: string[], use: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "extline-cases-"));
  const file = join(folder, "cases.toml");
  writeFileSync(file, cases.map((one, number) => `[[case]]\nid = "case-${number}"\ntitle = "t"\n${one}\n`).join(""));
  try {
    await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const play = (cases: string[]) => withCases(cases, (file) => playCases(file, counter, { deadlineMs: 300 }));

test("the file of another language's example holds here too", async () => {
  await playCases(CASES, weather);
  await playCases(pathToFileURL(CASES), weather);
});

test("every step that needs no process is played", async () => {
  await play([
    counts(1),
    `values = [2, 3]\n${counts("$value")}`,
    `process = "own"\n${counts(1)}`,
    `timing = true\n${counts(1)}`,
    `needs = ["tool", "event", "intercept", "canary"]
steps = [
  { line = '{"type":"event","event":"$event"}' },
  { expect = '{"type":"notify","message":"a turn"}' },
  { line = '{"type":"event_intercept","id":"$id","event":"$point","tool_id":"1","tool_name":"x","tool_args":{}}' },
  { expect = '{"type":"event_intercept_response","id":"$id"}' },
  { raw = '{"type":"event","ev', chunk = 3, pause_ms = 1 },
  { line = 'ent":"turn_start"}' },
  { canary = 3 },
  { wait_ms = 1 },
  { alive = true },
  { refuse = '{"type":"log"}' },
  { line = '$ask' },
  { answer = true },
]`,
  ]);
});

test("a step that fails says where, what was expected and what came, and shows the frames", async () => {
  await withCases([counts(7)], async (file) => {
    const error = await playCases(file, counter).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CaseFailed);
    const [place, expected, got, frames] = error.message.split("\n");
    assert.equal(place, `${file}:4: case case-0`);
    assert.match(expected ?? "", /^ {2}expected {2}\{"type":"tool_result".*within 5.0 s$/);
    assert.match(got ?? "", /^ {2}got {7}\{.*"text":"1"/);
    assert.equal(frames, "the frames:");
    assert.match(error.message, /host {6}> \{"type":"tool_call","id":"run1-1"/);
  });
  await assert.rejects(play([`values = [1, 3]\n${counts("$value")}`]), { message: /case-0 with the value 3\n/ });
});

test("an answer that does not come is waited for until the deadline", async () => {
  const slow = `steps = [
  { line = '{"type":"tool_call","id":"$id","name":"slow","args":{}}' },
  { answer = true },
]`;
  await assert.rejects(play([slow]), { name: "CaseFailed", message: /:6: [^]*got {7}nothing of the kind\n/ });
});

test("what failed first is told, also where the end fails too", async () => {
  const late = () => {
    const ext = counter();
    ext.teardown(() => new Promise(() => {}));
    return ext;
  };
  for (const how of [``, `process = "own"\n`]) {
    await withCases([how + counts(2)], async (file) => {
      await assert.rejects(playCases(file, late, { deadlineMs: 300 }), { name: "CaseFailed" });
    });
  }
  await withCases([counts(1)], async (file) => {
    await assert.rejects(playCases(file, late), { name: "HandlerFailed", message: /^teardown failed/ });
  });
});

test("what needs a process, or what the extension has not, is the test's mistake", async () => {
  const mistakes: [string, RegExp][] = [
    [`process = "raw"\nsteps = [{ hello = true }]`, /needs a process from its start: run it with `extline conform/],
    [`steps = [{ close = "stdin" }]`, /:4: case case-0: close needs a process/],
    [`needs = ["command"]\n${counts(1)}`, /needs a command, and the extension has none/],
    [`needs = ["manifest"]\n${counts(1)}`, /it needs the manifest/],
    [`steps = [{ nonsense = 1 }]`, /cases.toml:4: /],
  ];
  for (const [text, message] of mistakes) {
    await assert.rejects(play([text]), (error) => error instanceof Misuse && message.test(error.message), text);
  }
  await assert.rejects(playCases("nowhere.toml", counter), { name: "Misuse", message: /^nowhere.toml cannot be read/ });
});

test("an extension that ends fails the step", async () => {
  const ending = () => {
    const ext = new Extension("ending", "1.0.0");
    ext.tool("x", { description: "d" }, () => "x");
    return ext;
  };
  const steps = `steps = [{ line = '{"type":"shutdown"}' }, { wait_ms = 50 }, { alive = true }]`;
  await withCases([steps], async (file) => {
    const message = /expected {2}the extension lives\n {2}got {7}the extension has ended with exit code 0/;
    await assert.rejects(playCases(file, ending), { message });
  });
});

await withCases([counts(1), `needs = ["tool"]\n${counts(1)}`], async (file) => {
  const defined: string[] = [];
  const define = (name: string, run: () => Promise<void>) => (defined.push(name), test(name, run));
  testCases(file, counter, define);
  test("each case is a test of its own, with its place in the name", () => {
    assert.deepEqual(defined, [`t (case-0, ${file}:1)`, `t (case-1, ${file}:5)`]);
  });
});
