// The kit in TypeScript, held to the surface that every kit has (docs/tester/kits.md).
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { BUILT, PACKAGE, ROOT, run, says } from "./repository.mjs";

const KIT = join(ROOT, "conformance/kit/sdk-node");
const FOUND = join(ROOT, "conformance/found");

before(() => says("node", [join(PACKAGE, "scripts/build-kit.mjs")]));

test("the kit conforms, without a baseline", async () => {
  const words = ["conformance", "--level", "kit", "--cases", FOUND, KIT];
  const { code, stdout, stderr } = await run("extline", words);
  assert.equal(code, 0, brief(stdout) + stderr);
});

// No cancel is lost, and it ends in time whatever its host does not read.
for (const host of ["cancels", "ends"]) {
  test(`the kit holds against a hostile host: ${host}`, async () => {
    const program = join(BUILT, "examples", host);
    const { code, stdout, stderr } = await run(program, ["node", "dist/kit.js"], { folder: KIT });
    assert.equal(code, 0, stdout + stderr);
  });
}

/** Which cases failed, what they expected and what came, without the frames; and how many there were. */
function brief(report: string): string {
  const told = /^(?:FAIL |ERROR | +(?:expected|got|again) |(?:not )?conformant|could not)/;
  const lines = report.split("\n").filter((line) => told.test(line));
  return lines.length > 0 ? lines.map((line) => `${line}\n`).join("") : report;
}
