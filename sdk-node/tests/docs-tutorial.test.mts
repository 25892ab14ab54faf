// The pages on TypeScript, run as they stand: files are written, commands run, their output compared.
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { transform } from "esbuild";
import { install, PACKAGE, ROOT, run, says, scratch } from "./repository.mjs";

interface Fence {
  readonly language: string;
  readonly more: string;
  readonly text: string;
}

function fences(page: string): Fence[] {
  const found = readFileSync(join(ROOT, "docs", page), "utf8").matchAll(/^```(\w+) ?(.*?)\n(.*?)^```$/gms);
  return [...found].map(([, language, more, text]) => ({ language: language!, more: more!, text: text! }));
}

/** `...` stands for anything. */
function matches(shown: string, said: string): boolean {
  const parts = shown.split("...").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`).test(said);
}

/** The commands of a console, each with what it shows. */
function sessions(text: string): [command: string, shown: string][] {
  return text.split(/^\$ /m).slice(1).map((part) => {
    const end = part.indexOf("\n");
    return [part.slice(0, end), part.slice(end + 1)];
  });
}

test("the tutorial leads where it says", async () => {
  const folder = scratch();
  const home = scratch();
  install(folder, "tsx", "zod", "@types/node");
  let ran = 0;
  for (const { language, more, text } of fences("typescript/guide.md")) {
    const [name, before] = more.split(" before=");
    const file = join(folder, name!);
    if (before !== undefined) {
      const whole = readFileSync(file, "utf8");
      const at = whole.indexOf(JSON.parse(before));
      writeFileSync(file, whole.slice(0, at) + text + whole.slice(at));
    } else if (language === "console") {
      for (const [command, shown] of sessions(text)) {
        const { stdout } = await run("sh", ["-c", `exec 2>&1; ${command}`], { folder, home });
        assert.ok(matches(shown, stdout), `$ ${command}\n${stdout}`);
        ran += 1;
      }
    } else if (name !== "") {
      writeFileSync(file, text);
    }
  }
  assert.ok(ran >= 8);
  const options = { strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true };
  const compilerOptions = { ...options, target: "es2022", module: "nodenext", types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await says("node", [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", folder]);
});

test("a host shows what is wrong, not the stack below it", async () => {
  const program = `import { Extension } from "extline";
const ext = new Extension("wrong", "1.0.0");
ext.tool("t", { description: "x" }, () => "x");
await ext.run(import.meta);
`;
  const dated = program.replace("const ext", 'import { z } from "zod";\nconst ext').replace('"x" }', '"x", input: z.object({ on: z.date() }) }');
  const tsx = ["--import", "tsx"];
  const shown: [what: string, file: string, source: string, args: string[], pack: object][] = [
    ['Top-level await is currently not supported with the "cjs" output format', "a.ts", program, tsx, {}],
    ["Cannot use import statement outside a module", "a.js", program, [], { type: "commonjs" }],
    ["require is not defined in ES module scope", "a.js", 'require("extline");', [], { type: "module" }],
    ["a.ts:4: tool t: zod makes no JSON Schema of its input: Date cannot be represented", "a.ts", dated, tsx, { type: "module" }],
  ];
  // From 22.18 on Node runs it.
  if (!("typescript" in process.features && process.features.typescript)) shown.push(['Unknown file extension ".ts"', "a.ts", program, [], { type: "module" }]);
  // One after the other: each loads a compiler, and has ten seconds until its hello.
  for (const [what, file, source, args, pack] of shown) {
    const folder = scratch();
    install(folder, "tsx", "zod");
    writeFileSync(join(folder, file), source);
    writeFileSync(join(folder, "package.json"), JSON.stringify(pack));
    writeFileSync(join(folder, "extension.json"), JSON.stringify({ name: "wrong", version: "1.0.0", exec: "node", args: [...args, file] }));
    const { code, stderr } = await run("extline", ["call", folder, "t", "{}"]);
    assert.notEqual(code, 0);
    assert.ok(stderr.includes(what), stderr);
  }
});

// Where the benchmark has fetched the MCP SDKs that it measures: nothing else here needs them.
const MCP = join(ROOT, "bench/peers/node/node_modules");

test("the tasks with MCP have no mistakes in their types", { skip: !existsSync(join(MCP, "@modelcontextprotocol/sdk")) }, async () => {
  const samples = fences("typescript/from-mcp.md").filter(({ more }) => more === "mcp").map(({ text }) => text);
  const missing = `import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
declare function shrinkOne(file: string): Promise<void>;
declare function runInShell(command: string): Promise<{ content: { type: "text"; text: string }[] }>;
`;
  const folder = scratch();
  install(folder, "@types/node");
  for (const name of ["@modelcontextprotocol", "zod"]) symlinkSync(join(MCP, name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(join(folder, "tasks.ts"), missing + samples.join("\n"));
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, target: "es2022", module: "nodenext", types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await says("node", [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", folder]);
});

test("five everyday tasks are no longer than with MCP or oh-my-pi", async () => {
  const samples: Record<string, string[]> = { mcp: [], "oh-my-pi": [], extline: [] };
  for (const { more, text } of fences("typescript/from-mcp.md")) {
    await transform(text, { loader: "ts" }); // it is TypeScript at all
    samples[more]!.push(text);
  }
  const { mcp, "oh-my-pi": pi, extline } = samples as Record<"mcp" | "oh-my-pi" | "extline", string[]>;
  assert.deepEqual([mcp.length, pi.length, extline.length], [5, 5, 5]);
  const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "").length;
  for (const [at, ours] of extline.entries()) {
    assert.ok(lines(ours) <= lines(mcp[at]!), ours);
    assert.ok(lines(ours) <= lines(pi[at]!), ours);
  }

  const folder = scratch();
  install(folder, "tsx", "zod");
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const [shrunk, tested] = ["const shrinkOne = async (file: string) => {};\n", extline.pop()!];
  // One program: what each task offers stands in front of its last line.
  const offers = extline.map((text) => text.replace("await ext.run(import.meta);\n", ""));
  writeFileSync(join(folder, "weather.ts"), `${shrunk}${offers.join("\n")}\nawait ext.run(import.meta);\n`);
  writeFileSync(
    join(folder, "weather.test.ts"),
    `import assert from "node:assert/strict";
    import { test } from "node:test";
    import { Host } from "extline/testing";
    import { ext } from "./weather.ts";
    ${tested}
    test("the others", () =>
      Host.with(ext, async (host) => {
        const shrunk = await host.call("shrink", { files: ["a", "b"] });
        assert.equal(shrunk.text, "2 are smaller now");
        assert.equal(shrunk.updates.at(-1)?.progress?.total, 2);
        assert.equal((await host.command("review", "main")).prompt, "Review the branch main.");
        const ruling = await host.intercept("tool_call", { tool: "bash", args: { command: "rm -rf /" } });
        assert.equal(ruling.blocked, "refused: rm -rf");
      }));`,
  );
  assert.match(await says("node", ["--import", "tsx", "--test", "weather.test.ts"], { folder }), /^# pass 2$/m);
});
