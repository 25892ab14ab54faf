// docs/typescript/events-and-guards.md: its tables have the types of the package, and its samples run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension } from "extline";
import { Host } from "extline/testing";

const sdk = join(import.meta.dirname, "..");
const page = readFileSync(join(sdk, "../docs/typescript/events-and-guards.md"), "utf8");
const samples = Array.from(page.matchAll(/^```ts\n([^]*?)^```$/gm), ([, text]) => text!);

/** The rows of the first table under a heading, cell by cell. */
function rows(heading: string): string[][] {
  const [, section] = page.split(new RegExp(`^##+ ${heading}\n`, "m"));
  const [, table] = /^\|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(section ?? "") ?? [];
  assert.ok(table, `no table under ${heading}`);
  return table.trim().split("\n").map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
}

/** What stands between back quotes. */
function quoted(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!);
}

const union = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(" | ");

test("the tables have the types of the package, and the samples have no mistakes", () => {
  const folder = join(sdk, "build/docs-events");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(sdk, join(folder, "node_modules/extline"));
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');

  const events = rows("Events").map(([event, , fields]) => [quoted(event!)[0]!, quoted(fields!)] as const);
  const fields = rows("The fields").map(([field, type]) => [quoted(field!)[0]!, quoted(type!)[0]!] as const);
  const points = rows("Points").map(([, given, answers]) => [quoted(given!), quoted(answers!)] as const);
  const inputs = rows("Keys of a panel").flatMap(([, members]) => quoted(members!)).filter((name) => name !== "rune");
  assert.ok(events.length >= 14 && fields.length >= 27 && points.length === 7 && inputs.length === 4);
  const toolUse = points[0]![0].slice(1);
  const lines = [
    `same<keyof Events, ${union(events.map(([event]) => event))}>(true);`,
    ...events.map(([event, own]) => {
      const all = [...own, "event", "sessionId", "cwd", "sequence"];
      // Any event of a tool may have another extension as its reason.
      return `same<Exclude<keyof Events["${event}"], "originExtension">, ${union(all)}>(true);`;
    }),
    `same<keyof EventPayload, ${union(fields.map(([field]) => field))}>(true);`,
    ...fields.map(([field, type]) => `is<EventPayload["${field}"], (${type}) | undefined>();`),
    ...points.flatMap(([[kind, ...members], answers]) => [
      ...(members.length > 0 ? members : toolUse).map((member) => `reads(({} as ${kind}).${member});`),
      ...answers.map((answer) => `reads(({} as ${kind}).${answer.replace(/^\w+\.(\w+)\(.*$/, "$1")});`),
    ]),
    ...inputs.map((member) => `reads(({} as PanelInput).${member});`),
  ];
  writeFileSync(
    join(folder, "tables.ts"),
    `import type { AgentStart, EventMessage, EventPayload, Events, GuardedToolUse, Message, ModelCall, PanelInput, RewritableToolUse, Todo, ToolAnswer, UserPrompt } from "extline";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(same: Equal<A, B>): void;
declare function is<A extends B, B>(): void;
declare function reads(value: unknown): void;
${lines.join("\n")}
`,
  );
  for (const [at, text] of samples.entries()) writeFileSync(join(folder, `sample-${at}.ts`), text);
  const files = ["tables.ts", ...samples.map((_, at) => `sample-${at}.ts`)];
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: "es2022", module: "nodenext", types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  try {
    execFileSync(process.execPath, [join(sdk, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail((error as { stdout: string }).stdout);
  }
});

/** The extension of a sample, which is JavaScript too. */
function extensionOf(sample: string): Extension {
  const source = sample.replace(/^import .*\n/, "");
  return new Function("Extension", `${source}\nreturn ext;`)(Extension) as Extension;
}

test("the samples do what the page says", async () => {
  const [told, watches, limits, looks] = samples.map(extensionOf) as [Extension, Extension, Extension, Extension];
  await Host.with(told, async (host) => {
    await host.event("tool_result", { toolName: "read", status: "completed" });
    assert.equal(host.logs[0]?.message, "read: completed");
  });
  await Host.with(watches, async (host) => {
    for (const toolName of ["read", "mcp_x"]) await host.event("tool_result", { toolName, status: "completed" });
    assert.deepEqual(host.logs.map(({ message }) => message), ["mcp_x: completed"]);
  });
  await Host.with(limits, async (host) => {
    const timed = await host.intercept("tool_call", { tool: "bash", args: { command: "ls" } });
    assert.deepEqual(timed.rewritten, { command: "ls", timeout: 60 });
    const kept = await host.intercept("tool_call", { tool: "read", args: { path: "a/.env" } });
    assert.equal(kept.blocked, "ask the user");
  });
  await Host.with(looks, async (host) => {
    assert.ok((await host.intercept("tool_call", { tool: "bash", args: { command: "ls" } })).isAllowed);
    assert.equal(host.logs[0]?.message, 'bash {"command":"ls"}');
  });
});
