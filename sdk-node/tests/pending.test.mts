// Actions that handlers propose, and their resolution.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension, ToolError, ToolResult } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, scratch } from "./repository.mjs";

const input = { type: "object", properties: { how: { type: "string" } }, required: ["how"] } as const;

function edits(seen: string[] = []): Extension {
  const ext = new Extension("edits", "1.0.0");
  let isFull = true;
  ext.tool("edit", { description: "Proposes edits.", input }, async ({ how }, ctx) => {
    const apply = (reason: string) => {
      if (how === "fails once" && isFull) {
        isFull = false;
        throw new Error("the disk is full");
      }
      if (how === "bad") return new ToolResult("three of twelve are wrong", { isError: true });
      return how === "value" ? { wrote: 12 } : `wrote 12 edits: ${reason}`;
    };
    const reject = how === "cleaned" ? (reason: string) => void seen.push(reason) : undefined;
    return ctx.pending.push({ label: `12 edits ${how}`, apply, reject, summary: "a.txt", details: { n: 12 } });
  });
  ext.tool("wrong", { description: "Proposes what is none." }, async (_, ctx) => {
    await ctx.pending.push({ label: "a", apply: "write" as unknown as () => void });
  });
  ext.tool("unsupported", { description: "Proposes nothing." }, async (_, ctx) => {
    const error: unknown = await ctx.pending.push({ label: "a", apply: () => {} }).catch((thrown: unknown) => thrown);
    return error instanceof ToolError ? error.kind : "pushed";
  });
  return ext;
}

test("what is proposed is applied, though it fails once", async () => {
  await Host.with(
    edits(),
    async (host) => {
      assert.equal((await host.call("edit", { how: "fails once" })).text, "action_1");
      const expected = { id: "action_1", label: "12 edits fails once", summary: "a.txt", details: { n: 12 } };
      assert.deepEqual(await host.pending(), [expected]);
      const failed = await host.resolve("apply", "looks right");
      assert.ok(failed.isError);
      assert.match(failed.text, /the disk is full.*is still pending/s);
      assert.equal((await host.resolve("apply", "again")).text, "wrote 12 edits: again");
      assert.deepEqual(await host.pending(), []);
      assert.ok((await host.resolve("apply")).isError);
    },
    { pending: true },
  );
});

test("what it returns is what a tool may return, and a discard is told", async () => {
  const seen: string[] = [];
  await Host.with(
    edits(seen),
    async (host) => {
      await host.call("edit", { how: "value" });
      assert.deepEqual((await host.resolve("apply")).value, { wrote: 12 });
      await host.call("edit", { how: "bad" });
      assert.match((await host.resolve("apply")).text, /three of twelve are wrong/);
      assert.equal((await host.resolve("discard", "no")).text, "Discarded: 12 edits bad. Reason: no");
      await host.call("edit", { how: "cleaned" });
      await host.resolve("discard", "not this one");
      assert.deepEqual(seen, ["not this one"]);
      assert.match((await host.call("wrong")).text, /apply of ctx\.pending\.push is a function, and this is a string/);
    },
    { pending: true },
  );
  await Host.with(edits(), async (host) => assert.equal((await host.call("unsupported")).text, "unsupported"));
});

test("the page holds", () => {
  const page = readFileSync(join(ROOT, "docs/pending-actions.md"), "utf8");
  const [, program] = /^```typescript edits\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "edits.mjs"), program.replace(" as const", ""));
  for (let number = 0; number < 12; number++) writeFileSync(join(folder, `${number}.txt`), "one");
  const lines = '!replace {"old":"one","new":"two"}\n!resolve {"action":"apply","reason":"fine"}\n';
  const env = { ...process.env, EXTLINE_HOME: join(folder, "home") };
  const words = ["run", "--", process.execPath, "edits.mjs"];
  const done = spawnSync(join(BUILT, "extline"), words, { cwd: folder, env, input: lines, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /wrote 12 files/);
  assert.equal(readFileSync(join(folder, "11.txt"), "utf8"), "two");
});
