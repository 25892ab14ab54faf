// Views: how a person is shown what a tool says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Extension, Response, ToolResult, view } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, scratch } from "./repository.mjs";

test("builders make what the wire has", () => {
  const made = [
    view.table(["a", "b"], [["x", 1], [null, view.styled("y", "error", "bold")]], { title: "T" }),
    view.diff("-a\n+b\n"),
    view.markdown("# x"),
    view.lines("one\ntwo"),
    view.lines(["one", [view.styled("two", "dim"), "three"]]),
    view.keyvalue({ k: true }),
    view.meter(1, 2.5, { unit: "GB" }),
  ];
  assert.deepEqual(made, [
    {
      kind: "table",
      title: "T",
      columns: ["a", "b"],
      rows: [["x", 1], [null, { text: "y", style: ["error", "bold"] }]],
    },
    { kind: "diff", text: "-a\n+b\n" },
    { kind: "markdown", text: "# x" },
    { kind: "lines", lines: ["one", "two"] },
    { kind: "lines", lines: ["one", [{ text: "two", style: ["dim"] }, "three"]] },
    { kind: "keyvalue", pairs: [{ key: "k", value: true }] },
    { kind: "meter", value: 1, max: 2.5, unit: "GB" },
  ]);
});

test("results and updates have views", async () => {
  const ext = new Extension("views", "1");
  const half = view.meter(1, 2);
  ext.tool("look", { description: "Looks.", callView: view.lines(["looks"]) }, async (_, ctx) => {
    ctx.update({ message: "half", view: half });
    await sleep(1);
    return new ToolResult("done", { view: view.lines(["here"]) });
  });
  await Host.with(ext, async (host) => {
    const answer = await host.call("look");
    assert.equal(answer.text, "done");
    assert.deepEqual(answer.view, { kind: "lines", lines: ["here"] });
    assert.deepEqual(answer.updates.map((update) => update.view), [half]);
  });
});

test("panels have views", () => {
  const shown = view.lines(["here"]);
  assert.deepEqual(Response.openPanel({ id: "p", view: shown }).fields["open_panel"], {
    id: "p",
    title: undefined,
    lines: undefined,
    footer: undefined,
    view: shown,
  });
});

test("it reports as the page says", () => {
  const page = readFileSync(join(ROOT, "docs/views.md"), "utf8");
  const [, program] = /^```typescript report\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  const [, said] = /-- \.\/report 2>&1\n(.*?)\$ /s.exec(page) ?? [];
  assert.ok(program !== undefined && said !== undefined);
  const folder = scratch();
  install(folder);
  const file = join(folder, "report.mjs");
  writeFileSync(file, program);
  const words = ["call", "--view", "always", "report", '{"folder":"lib"}', "--", process.execPath, file];
  const env = { ...process.env, EXTLINE_HOME: join(folder, "home") };
  const { stdout, stderr } = spawnSync(join(BUILT, "extline"), words, { env, encoding: "utf8" });
  assert.equal(stderr + stdout, said);
});
