// Dialogs of handlers, under a host that has them and one that has not.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Extension } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, says, scratch } from "./repository.mjs";

function shipping(): Extension {
  const ext = new Extension("ship", "1.0.0");
  ext.tool("ship", { description: "Ships it." }, async (_, ctx) =>
    (await ctx.ui.confirm("Ship it?", { message: "To all.", timeoutMs: 1500 })) ? "shipped" : "kept",
  );
  const choices = ["north", { label: "the south", value: "s" }];
  ext.tool("choose", { description: "One." }, async (_, ctx) => String(await ctx.ui.select("Where?", choices, { initial: "s" })));
  ext.tool("several", { description: "Some." }, async (_, ctx) => String(await ctx.ui.selectSeveral("Which?", choices)));
  ext.tool("name", { description: "Asks." }, async (_, ctx) =>
    String(await ctx.ui.input("Name?", { placeholder: "Ada", secret: true })),
  );
  ext.tool("can", { description: "Says." }, (_, ctx) =>
    (["confirm", "select", "input"] as const).filter((dialog) => ctx.ui.can(dialog)).join(" "),
  );
  return ext;
}

test("it asks as the page says", async () => {
  const page = readFileSync(join(ROOT, "docs/asking.md"), "utf8");
  const [, program] = /^```typescript ship\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "ship.mjs"), program);
  const script = join(ROOT, "cli/tests/support/ships.py");
  const words = [script, join(BUILT, "extline"), "--", process.execPath, join(folder, "ship.mjs")];
  await says("env", ["TERM=xterm", "NO_COLOR=1", "python3", ...words]);
});

test("what is asked, and what comes of it", async () => {
  const asked: unknown[] = [];
  const answers = (answer: unknown) => (params: unknown) => (asked.push(params), answer);
  const select = (params: unknown) => ((params as { multi?: boolean }).multi ? { values: ["north", "s"] } : { value: "s" });
  const methods = {
    "ui.confirm": answers({ confirmed: true }),
    "ui.select": (params: unknown) => (asked.push(params), select(params)),
    "ui.input": answers({ value: "" }),
  };
  await Host.with(
    shipping(),
    async (host) => {
      const said = async (tool: string) => (await host.call(tool)).text;
      assert.equal(await said("ship"), "shipped");
      assert.equal(await said("choose"), "s");
      assert.equal(await said("several"), "north,s");
      assert.equal(await said("name"), "");
      assert.equal(await said("can"), "confirm select input");
    },
    { methods },
  );
  const options = ["north", { label: "the south", value: "s" }];
  assert.deepEqual(asked, [
    { title: "Ship it?", message: "To all.", timeout_ms: 1500 },
    { title: "Where?", options, initial: "s" },
    { title: "Which?", options, multi: true },
    { title: "Name?", placeholder: "Ada", secret: true },
  ]);
});

test("a dialog that was closed is a no, and undefined", async () => {
  const headless = () => ({ dismissed: "headless" });
  const methods = { "ui.confirm": headless, "ui.select": headless, "ui.input": headless };
  await Host.with(
    shipping(),
    async (host) => {
      assert.equal((await host.call("ship")).text, "kept");
      for (const tool of ["choose", "several", "name"]) assert.equal((await host.call(tool)).text, "undefined");
    },
    { methods },
  );
});

test("under a host without dialogs the line that asks rejects", async () => {
  await Host.with(shipping(), async (host) => {
    assert.equal((await host.call("can")).text, "");
    assert.equal((await host.call("ship")).error?.kind, "unsupported");
  });
});
