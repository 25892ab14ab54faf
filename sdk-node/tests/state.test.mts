// What handlers keep with their host, under one that keeps it and one that does not.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension, ToolError } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, scratch } from "./repository.mjs";

function keeping(): Extension {
  const ext = new Extension("keeper", "1.0.0");
  ext.tool("count", { description: "Counts." }, async (_, ctx) =>
    String(await ctx.state.session.modify<number>("n", (n) => (n ?? 0) + 1)),
  );
  ext.tool("all", { description: "Does all there is." }, async (_, ctx) => {
    const slot = ctx.state.project;
    for (const key of ["a/2", "a/1", "b"]) await slot.set(key, { key });
    const seen = [await slot.get("b"), (await slot.get("c")) ?? "none", await slot.list("a/"), await slot.delete("b")];
    return JSON.stringify([...seen, await slot.delete("b"), await slot.list(), await ctx.state.global.list()]);
  });
  ext.tool("raced", { description: "Is overtaken once." }, async (_, ctx) => {
    const tries: number[] = [];
    const n = await ctx.state.session.modify<number>("n", async (n = 0) => {
      if (tries.length === 0) await ctx.state.session.set("n", 10);
      tries.push(n);
      return n + 1;
    });
    return JSON.stringify([n, tries]);
  });
  ext.tool("notes", { description: "Adds entries." }, async (_, ctx) => {
    const first = await ctx.history.append("note", { text: "one" });
    await ctx.history.append("other");
    const branch = await ctx.history.branch(["note"]);
    const { durable } = await ctx.history.info();
    return JSON.stringify([branch.length, branch[0]?.id === first, branch[0]?.data, durable]);
  });
  return ext;
}

test("values are kept, and a test sees them", async () => {
  await Host.with(
    keeping(),
    async (host) => {
      assert.equal((await host.call("count", {})).text, "42");
      assert.equal((await host.call("count", {})).text, "43");
      assert.deepEqual(host.state, { session: { n: 43 }, project: {}, global: {} });
      const all = JSON.parse((await host.call("all", {})).text) as unknown;
      assert.deepEqual(all, [{ key: "b" }, "none", ["a/1", "a/2"], true, false, ["a/1", "a/2"], []]);
      assert.deepEqual(JSON.parse((await host.call("notes", {})).text), [1, true, { text: "one" }, false]);
    },
    { state: { session: { n: 41 } } },
  );
});

test("nothing is lost where somebody else sets it meanwhile", async () => {
  await Host.with(
    keeping(),
    async (host) => assert.equal((await host.call("raced", {})).text, "[11,[0,10]]"),
    { state: {} },
  );
});

test("a host that keeps nothing says what to do", async () => {
  await Host.with(keeping(), async (host) => {
    const answer = await host.call("count", {});
    assert.ok(answer.isError);
    assert.match(answer.text, /this host keeps nothing for extensions: keep it in a file/);
    assert.equal(host.state, undefined);
  });
});

test("values of another version are migrated, or stay", async () => {
  const later = (migrate?: (values: Readonly<Record<string, unknown>>) => Record<string, unknown>): Extension => {
    const ext = new Extension("later", "2.0.0").state(migrate === undefined ? { version: 2 } : { version: 2, migrate });
    return ext.tool("read", { description: "Reads it." }, async (_, ctx) => String(await ctx.state.session.get("n")));
  };
  const state = { slot_version: 1, session: { counter: 4 } };
  await Host.with(
    later(({ counter }) => ({ n: counter })),
    async (host) => assert.equal((await host.call("read", {})).text, "4"),
    { state },
  );
  const fails = () => {
    throw ToolError.internal("no idea how");
  };
  for (const [ext, says] of [[later(), /does not offer/], [later(fails), /no idea how/]] as const) {
    await Host.with(
      ext,
      async (host) => {
        assert.match((await host.call("read", {})).text, says);
        assert.deepEqual(host.state?.session, { counter: 4 });
      },
      { state },
    );
  }
  assert.throws(() => new Extension("wrong", "1").state({ version: 0 }), /a version is a whole number from 1/);
});

test("it counts as the page says", () => {
  const page = readFileSync(join(ROOT, "docs/state.md"), "utf8");
  const [, program] = /^```typescript count\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  // Only the types are TypeScript's.
  writeFileSync(join(folder, "count.mjs"), program.replaceAll("<number>", ""));
  const call = (session: string): string => {
    const words = ["call", "--session", session, "count", "--", process.execPath, join(folder, "count.mjs")];
    const env = { ...process.env, EXTLINE_HOME: join(folder, "home") };
    const { stdout, stderr } = spawnSync(join(BUILT, "extline"), words, { env, encoding: "utf8" });
    return stdout + stderr;
  };
  assert.deepEqual([call("a"), call("a"), call("b")], ["1 of 1\n", "2 of 2\n", "1 of 3\n"]);
});
