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
  ext.tool("longer", { description: "Asks more." }, async (_, ctx) => {
    const text = await ctx.ui.editor("Notes?", { prefill: "draft" });
    const where = await ctx.ui.ask([{ id: "where", question: "Where?", options: ["north", "south"] }]);
    return JSON.stringify([text, where, await ctx.ui.auth("https://a.example/device", { code: "AB-12" })]);
  });
  ext.tool("show", { description: "Shows." }, async (_, ctx) => {
    const shown = [await ctx.ui.status("build", "3 of 5"), await ctx.ui.status("build", null), await ctx.ui.title("Ship")];
    return [...shown, await ctx.ui.working("thinking"), await ctx.ui.widget("w", ["a"], "below")].join(" ");
  });
  ext.tool("hurried", { description: "Gives no time." }, async (_, ctx) => String(await ctx.ui.confirm("Ship it?", { timeoutMs: 0 })));
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

test("answers are given, dismissed or headless", async () => {
  const said = async (host: Host, tool: string) => (await host.call(tool)).text;
  await Host.with(
    shipping(),
    async (host) => {
      for (const text of ["shipped", "kept", "kept"]) assert.equal(await said(host, "ship"), text);
      assert.equal(await said(host, "choose"), "s");
      assert.match(await said(host, "choose"), /no option "west"; there are north, s/);
      assert.equal(await said(host, "name"), "Ada");
    },
    { answers: { confirm: [true, null], select: ["s", "west"], input: "Ada" } },
  );
  await Host.with(
    shipping(),
    async (host) => {
      assert.equal(await said(host, "ship"), "kept");
      assert.equal(await said(host, "choose"), "undefined");
      assert.equal(await said(host, "show"), "true true true true true");
    },
    { answers: "headless" },
  );
  await Host.with(shipping(), async (host) => assert.match(await said(host, "ship"), /no answer to confirm/), { answers: {} });
});

test("longer dialogs, and what is only shown", async () => {
  await Host.with(
    shipping(),
    async (host) => {
      assert.deepEqual(JSON.parse((await host.call("longer")).text), ["a\nb", { where: ["north"] }, true]);
      assert.match((await host.call("hurried")).text, /timeoutMs is 0: a person needs more than 0 ms/);
    },
    { answers: { editor: "a\nb", ask: { where: "north" }, auth: true } },
  );
  await Host.with(shipping(), async (host) => assert.equal((await host.call("show")).text, "false false false false false"));
});
