// docs/typescript/from-mcp.md: the right column of its tables is compiled.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { install, PACKAGE, ROOT, says, scratch } from "./repository.mjs";

const page = readFileSync(join(ROOT, "docs/typescript/from-mcp.md"), "utf8");

test("what the tables have in place of MCP and pi compiles in the strictest mode", async () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| with "));
  const cells = rows.map((row) => row.split(" | ").at(-1)!.replace(/ \|$/, ""));
  const samples = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!));
  assert.ok(samples.length > 20, `${samples.length} samples`);
  const source = `import { Extension, image, Response, ToolError, ToolResult, type Context } from "extline";
import { z } from "zod";
declare const ext: Extension;
declare const ctx: Context;
declare const bytes: Uint8Array;
declare const [text, description, url]: string[] & [string, string, string];
${samples.map((sample, at) => `export async function sample${at}(): Promise<unknown> {\n  ${sample};\n  return undefined;\n}`).join("\n")}
`;
  const folder = scratch();
  install(folder, "zod", "@types/node");
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  writeFileSync(join(folder, "samples.ts"), source);
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, allowUnreachableCode: true };
  const compilerOptions = { ...strict, noEmit: true, skipLibCheck: true, target: "es2022", module: "nodenext", types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await says("node", [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", folder]);
});
