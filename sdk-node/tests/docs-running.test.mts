// docs/typescript/running.md: its sample is run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Program, text } from "./program.mjs";

const page = readFileSync(new URL("../../docs/typescript/running.md", import.meta.url), "utf8");

test("work in a worker leaves the loop free, and ends with its call", async () => {
  const [, sample] = /```js worker\n([^]*?)```/.exec(page) ?? [];
  const program = await Program.run(sample!);
  program.send({ type: "tool_call", id: "long", name: "count_primes", args: { upTo: 2 ** 40 } });
  assert.equal(text(await program.call("count_primes", { upTo: 100 })), "25");
  program.send({ type: "tool_cancel", id: "long" });
  assert.equal((await program.next("tool_result", { id: "long" })).error.kind, "cancelled");
  program.send({ type: "shutdown" });
  assert.equal(await program.status(), 0);
  assert.equal(program.stderr, "");
});
