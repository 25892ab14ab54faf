// The kit in TypeScript, held to the surface that every kit has (docs/kit.md).
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { install, PACKAGE, ROOT, run, says } from "./repository.mjs";

const KIT = join(ROOT, "conformance/kit/sdk-node");
const FOUND = join(ROOT, "conformance/found");

test("the kit conforms, without a baseline", async () => {
  install(KIT, "zod", "@types/node");
  await says("node", [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", KIT]);
  const words = ["conformance", "--level", "kit", "--cases", FOUND, KIT];
  const { code, stdout, stderr } = await run("extline", words);
  assert.equal(code, 0, brief(stdout) + stderr);
});

/** Which cases failed, what they expected and what came, without the frames; and how many there were. */
function brief(report: string): string {
  const told = /^(?:FAIL |ERROR | +(?:expected|got|again) |(?:not )?conformant|could not)/;
  const lines = report.split("\n").filter((line) => told.test(line));
  return lines.length > 0 ? lines.map((line) => `${line}\n`).join("") : report;
}
