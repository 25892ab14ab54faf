// docs/typescript/troubleshooting.md: every text of it is said where the mistake is made.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { extension, Program } from "./program.mjs";
import { install, PACKAGE, ROOT, run, scratch } from "./repository.mjs";

const page = readFileSync(join(ROOT, "docs/typescript/troubleshooting.md"), "utf8");
const texts = Array.from(page.matchAll(/^### (`+)(.+?)\1$/gm), ([, , text]) => text!.trimEnd());

/** How a mistake is made. */
interface Mistake {
  /** The file, and what stands in it. */
  readonly file?: string;
  readonly source: string;
  /** What the host asks before it ends the program. */
  readonly asks?: object | string;
  /** What a shell runs in the folder, in place of the program with a host's frames. */
  readonly command?: string;
  readonly pack?: object;
  /** Puts more into the folder. */
  readonly prepare?: (folder: string) => void;
}

const CALL = { type: "tool_call", id: "1", name: "give", args: {} };
const ASKED = { type: "event_intercept", id: "1", event: "tool_call", tool_id: "1", tool_name: "bash", tool_args: {} };
const TOLD = { type: "event", event: "turn_end" };

/** A mistake in what an extension offers. */
const offers = (source: string): Mistake => ({ source: extension(source) });
/** A mistake in a handler, of a tool or of what is asked. */
const asked = (source: string, asks: object | string): Mistake => ({ source: extension(source), asks });
const gives = (body: string, more = ""): Mistake => asked(`${more}\next.tool("give", { description: "x" }, ${body});`, CALL);
const tool = (options: string) => offers(`import { z } from "zod";\next.tool("t", { description: "x", ${options} }, () => "");`);
/** A program of its own. */
const program = (source: string, more: Partial<Mistake> = {}): Mistake => ({ source: `import { Extension } from "extline";\n${source}`, ...more });
const tested = (body: string, offer = ""): Mistake =>
  program(`import { Host } from "extline/testing";\nconst ext = new Extension("w");\n${offer}\n${body}`, { command: "node w.mjs" });
const MANIFEST = JSON.stringify({ name: "w", version: "1.0.0", exec: "node", args: ["w.mjs"] });

const MISTAKES: Readonly<Record<string, Mistake>> = {
  "Cannot find package 'extline'": { source: 'import "extline";', command: "rm -r node_modules; node w.mjs" },
  "Cannot find package 'tsx'": { source: "", command: "rm -r node_modules; node --import tsx w.mjs" },
  "Unknown file extension": { source: "", file: "w.ts", command: "node w.ts", pack: { type: "module" } },
  "Cannot use import": { source: 'import "extline";', file: "w.js", command: "node w.js", pack: { type: "commonjs" } },
  "Top-level await is": { source: "await 1;", file: "w.ts", command: "node --import tsx w.ts" },
  "require is not defined": { source: 'require("extline");', file: "w.js", command: "node w.js", pack: { type: "module" } },
  "extline has no native module": {
    source: 'import "extline";',
    command: "node w.mjs",
    prepare: (folder) => {
      const copy = join(folder, "inner/node_modules/extline");
      mkdirSync(copy, { recursive: true });
      cpSync(join(PACKAGE, "dist"), join(copy, "dist"), { recursive: true });
      cpSync(join(PACKAGE, "package.json"), join(copy, "package.json"));
      writeFileSync(join(folder, "inner/w.mjs"), 'import "extline";');
      writeFileSync(join(folder, "w.mjs"), 'await import("./inner/w.mjs");');
    },
  },
  "EXTLINE_STDIO is": { source: extension(""), command: "EXTLINE_STDIO=yes node w.mjs" },

  "there is one of that name": offers('for (const _ of [1, 2]) ext.tool("t", { description: "x" }, () => "");'),
  "its handler is missing": offers('ext.tool("t", { description: "x", execute: () => "" });'),
  "there is no option": tool("colour: 1"),
  "say for the model": offers('ext.tool("t", { label: "x" }, () => "");'),
  "and must be one schema": tool("input: { city: z.string() }"),
  "has no keyword": tool('input: { city: { type: "string" } }'),
  "makes no JSON Schema": tool("input: z.object({ on: z.date() })"),
  "the tool name": offers('ext.tool("größe", { description: "x" }, () => "");'),
  "there is no event": offers('ext.on("turn_ended", () => {});'),
  "notify needs a host, so": offers('ext.notify("x");'),

  "is an extension for": {
    source: extension(""),
    command: `python3 -c "import pty, sys; sys.exit(pty.spawn(['node', 'w.mjs']) != 0)"`,
  },
  "this program made an": program('new Extension("w");'),
  "this program loaded extline": program(""),
  "no hello within": program("setInterval(() => {}, 1000);", {
    command: "extline call . give",
    prepare: (folder) => writeFileSync(join(folder, "extension.json"), MANIFEST),
  }),
  "it takes what a module": program('await new Extension("w").run(import.meta.url);'),
  "run: it was called": program('const ext = new Extension("w");\nvoid ext.run(import.meta);\nawait ext.run(import.meta);'),
  "runs in this process": program('void new Extension("v").run(import.meta);\nawait new Extension("w").run(import.meta);'),
  "offers something and": program('const lost = new Extension("lost").tool("t", { description: "x" }, () => "");\nawait new Extension("w").run(import.meta);\nglobalThis.kept = lost;'),
  "it is registered after": { source: `${extension("")}ext.on("turn_end", () => {});` },
  "a host takes this": gives('() => { ext.on("turn_end", () => {}); }'),
  "an extension runs in": program(
    `import { isMainThread, Worker } from "node:worker_threads";
if (isMainThread) new Worker(new URL(import.meta.url));
else await new Extension("w").run();`,
    { command: "node w.mjs" },
  ),
  "does not offer": offers('ext.require("rpc");'),
  "setup failed": offers("ext.setup(() => { throw new Error('no disk'); });"),

  "tool ... failed": gives("() => nothing.at.all"),
  "it returned what cannot": gives("() => new Map()"),
  "JSON has no NaN": gives("() => ({ price: NaN })"),
  "a Map is no": gives("() => ({ m: new Map() })"),
  "a Promise is no": gives("() => ({ p: Promise.resolve(1) })"),
  "these bytes do not": gives("() => image(Buffer.from('x'))"),
  "it yielded what is no": gives("async function* () { yield 5; }"),
  "it yielded what are": gives("async function* () { yield 'fog'; }"),
  "is more than can": asked(
    'ext.tool("give", { description: "x", input: { type: "object", properties: { id: { type: "integer" } } } }, () => "");',
    // No double holds it.
    '{"type":"tool_call","id":"1","name":"give","args":{"id":12345678901234567891}}',
  ),
  "a command returns": asked('ext.command("c", "x", () => 7);', { type: "command_invoked", id: "1", name: "c", args: "" }),
  "which decides nothing": asked('ext.guard("g", () => true);', ASKED),
  "and did not return": asked('ext.intercept("tool_call", (call) => { call.rewrite({}); });', ASKED),
  "which changes nothing": asked('ext.intercept("tool_call", (call) => { call.args.a = 1; });', ASKED),
  "a guard may only": asked(
    'let kept;\next.intercept("tool_call", (call) => (kept = call.rewrite({})));\next.guard("g", () => kept);',
    ASKED,
  ),
  "it returned what looks": asked('ext.on("turn_end", () => { console.error("begun"); return { block: true }; });', TOLD),
  "belongs to a call": gives("(_, ctx) => { setTimeout(() => ctx.update('late'), 1); }", "ext.teardown(() => sleep(50));"),
  "needs a host, and": { source: `${extension("")}try { ext.notify("x"); } catch (error) { console.error(error.message); }` },
  "a promise was rejected": gives("async () => { void Promise.reject(new Error('x')); await sleep(20); }"),
  "an error was thrown": gives("async () => { setTimeout(() => { throw new Error('x'); }, 1); await sleep(20); }"),
  "ended ...s after": gives("() => { console.error('begun'); for (;;); }"),
  "something keeps the": gives("() => { setInterval(() => {}, 1000); }"),
  "the program ended": gives("() => { console.error('begun'); process.exit(3); }"),

  "did not answer within": tested(
    'await Host.with(ext, (host) => host.call("give"), { deadlineMs: 50 });',
    'ext.tool("give", { description: "x" }, () => new Promise((done) => setTimeout(done, 3000)));',
  ),
  "runs already": tested("const one = await Host.start(ext);\ntry { await Host.start(ext); } finally { await one.close(); }"),
  "the extension offers": tested('await Host.with(ext, (host) => host.call("take"));', 'ext.tool("give", { description: "x" }, () => "");'),
  "the extension does not listen": tested('await Host.with(ext, (host) => host.event("turn_start"));', 'ext.on("turn_end", () => {});'),
  "the handler of the event": tested(
    'await Host.with(ext, (host) => host.event("turn_end"));',
    'ext.on("turn_end", () => { throw new Error("x"); });',
  ),
  "does not match its output": tested(
    'await Host.with(ext, (host) => host.call("give"));',
    'ext.tool("give", { description: "x", output: { type: "object", required: ["a"] } }, () => ({}));',
  ),
};

/** Makes the mistake; what was said. */
async function provoke({ source, asks, file = "w.mjs", command = `node ${file}`, pack, prepare }: Mistake): Promise<string> {
  if (asks) return await askedOf(source, asks);
  const folder = scratch();
  install(folder, "tsx", "zod");
  writeFileSync(join(folder, file), source);
  if (pack) writeFileSync(join(folder, "package.json"), JSON.stringify(pack));
  prepare?.(folder);
  const typed = '{"type":"hello_ack","protocol_version":1}\n{"type":"shutdown"}\n';
  const { stdout, stderr } = await run("sh", ["-c", command], { folder, typed });
  return stdout + stderr;
}

const ANSWERS = ["tool_result", "command_response", "event_intercept_response"];

/** Asks a running program, and ends it when it has answered or says that its handler has begun. */
async function askedOf(source: string, asks: object | string): Promise<string> {
  const program = await Program.run(source);
  program.send(asks);
  const hasBegun = () => program.stderr.includes("begun") || program.frames.some(({ type }) => ANSWERS.includes(type));
  await program.until(hasBegun, "an answer");
  program.send({ type: "shutdown" });
  await program.status();
  // On the wire, quotes are escaped.
  return program.stdout.replaceAll('\\"', '"') + program.stderr;
}

/** Whether that was said, where `...` stands for anything in a line. */
function isSaid(text: string, said: string): boolean {
  const parts = text.split("...").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join(".*")).test(said);
}

test("every text is provoked", () => {
  assert.equal(texts.length, Object.keys(MISTAKES).length);
  for (const [at, begin] of Object.keys(MISTAKES).entries()) assert.ok(texts[at]!.startsWith(begin), `${texts[at]!}: ${begin}`);
});

// From 22.18 on Node runs TypeScript.
const runsTypeScript = "typescript" in process.features && Boolean(process.features.typescript);

test("each is said in these words", { concurrency: 2 }, async (t) => {
  const tests = Object.values(MISTAKES).map((mistake, at) => {
    const text = texts[at]!;
    const skip = runsTypeScript && text.startsWith("Unknown file extension");
    return t.test(text, { skip }, async () => {
      let said = await provoke(mistake);
      // A program that gets no processor for a second is ended with another text.
      for (let more = 2; more > 0 && !isSaid(text, said); more--) said = await provoke(mistake);
      assert.ok(isSaid(text, said), said);
    });
  });
  await Promise.all(tests);
});
