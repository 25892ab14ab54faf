// Secrets and variables, under a host that has them and one that has not.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { Extension, type Secret } from "extline";
import { Host } from "extline/testing";
import { BUILT, install, ROOT, says, scratch } from "./repository.mjs";

function weather(asked: Secret[] = []): Extension {
  const ext = new Extension("weather", "1.0.0");
  const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
  ext.tool("ask", { description: "Asks.", input }, async ({ name }, ctx) => {
    const key = await ctx.secret(name, { purpose: "to ask" });
    asked.push(key);
    return `${key} ${inspect([key])} ${JSON.stringify({ key })} ${"" + String(key)} ${key.reveal()}`;
  });
  ext.tool("variable", { description: "Gives it.", input }, async ({ name }, ctx) => ctx.env(name));
  return ext;
}

const SHOWN = '*** [ Secret(***) ] {"key":"***"} *** swordfish';

test("what is given, and what is not", async () => {
  const asked: Secret[] = [];
  await Host.with(
    weather(asked),
    async (host) => {
      assert.equal((await host.call("ask", { name: "KEY" })).text, SHOWN);
      assert.equal((await host.call("variable", { name: "KEY" })).text, "swordfish");
      await host.call("ask", { name: "KEY" });
      await host.call("ask", { name: "FOE" });
      for (const tool of ["ask", "variable"]) {
        assert.equal((await host.call(tool, { name: "NONE" })).error?.kind, "not_found");
        assert.equal((await host.call(tool, { name: "OTHER" })).error?.kind, "permission");
      }
    },
    { secrets: { KEY: "swordfish", FOE: "swordfisk", NONE: null } },
  );
  const [first, second, third] = asked as [Secret, Secret, Secret];
  assert.ok(first.equals(second) && !first.equals(third));
  assert.deepEqual(Object.keys(first), []);
});

test("under a host without secrets it is the variable of that name", async () => {
  process.env["KEY_OF_TEST"] = "swordfish";
  delete process.env["NONE_OF_TEST"];
  await Host.with(weather(), async (host) => {
    assert.equal((await host.call("ask", { name: "KEY_OF_TEST" })).text, SHOWN);
    assert.equal((await host.call("variable", { name: "KEY_OF_TEST" })).text, "swordfish");
    const missing = await host.call("ask", { name: "NONE_OF_TEST" });
    assert.equal(missing.error?.kind, "not_found");
    assert.match(missing.text, /set the environment variable NONE_OF_TEST/);
  });
});

test("it asks as the page says", async () => {
  const page = readFileSync(join(ROOT, "docs/secrets.md"), "utf8");
  const [, program] = /^```typescript weather\.ts\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "weather.mjs"), program.replace(" as const", ""));
  const manifest = {
    name: "weather",
    exec: process.execPath,
    args: ["weather.mjs"],
    permissions: { secrets: ["OPENWEATHER_KEY"] },
  };
  writeFileSync(join(folder, "extension.json"), JSON.stringify(manifest));
  const words = ["OPENWEATHER_KEY=swordfish", `EXTLINE_HOME=${join(folder, "home")}`, join(BUILT, "extline")];
  const said = await says("env", [...words, "call", folder, "weather", '{"city":"Berlin"}']);
  assert.equal(String(said).trim(), "asked about Berlin with ***");
});
