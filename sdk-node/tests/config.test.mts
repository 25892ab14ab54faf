// The configuration by the author's schema, and what becomes of one that changes or does not fit.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, Extension } from "extline";
import { Host } from "extline/testing";
import * as v from "valibot";
import { z } from "zod";
import { install, ROOT, run, scratch } from "./repository.mjs";

const schema = z.object({ url: z.string(), timeout_ms: z.number().int().default(5000) });

function telling() {
  const ext = new Extension("weather", "1.0.0");
  const settings = ext.config(schema);
  ext.tool("told", { description: "Tells its configuration." }, (_, ctx) => JSON.stringify(ctx.config));
  return { ext, settings };
}

test("a schema makes it", async () => {
  const { ext, settings } = telling();
  const config = { url: "x" };
  await Host.with(ext, async (host) => {
    assert.equal((await host.call("told")).text, '{"url":"x","timeout_ms":5000}');
    assert.equal(settings.url, "x");
    assert.deepEqual({ ...settings }, { url: "x", timeout_ms: 5000 });
    assert.ok("url" in settings);
    assert.throws(() => Object.assign(settings, { url: "y" }), /by `extline config`/);
  }, { config });
});

test("one of another library does too, and none takes what the host gives", async () => {
  const ext = new Extension("weather", "1.0.0");
  const settings = ext.config(v.object({ url: v.optional(v.string(), "d") }));
  await Host.with(ext, () => Promise.resolve(assert.equal(settings.url, "d")));
  const other = new Extension("weather", "1.0.0");
  const given = other.config<{ url: string }>();
  const config = JSON.parse('{"url":"x","__proto__":{"polluted":true}}') as Record<string, unknown>;
  await Host.with(other, () => {
    assert.equal(given.url, "x");
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    return Promise.resolve();
  }, { config });
});

test("it is the new one after a change, and one that does not fit changes nothing", async () => {
  const { ext, settings } = telling();
  const heard: unknown[] = [];
  ext.on("config_changed", (event, ctx) => void heard.push([event.config, ctx.config["url"], settings.url]));
  await Host.with(ext, async (host) => {
    await host.changeConfig({ url: "y" });
    assert.deepEqual(heard, [[{ url: "y" }, "y", "y"]]);
    await host.changeConfig({ url: 5 });
    assert.equal(settings.url, "y");
    assert.match(host.logs.at(-1)?.message ?? "", /the one before goes on: .*\/url: /);
  }, { config: { url: "x" } });
});

test("setup has it, and a zot leaves the defaults", async () => {
  const ext = new Extension("weather", "1.0.0");
  const settings = ext.config(z.object({ url: z.string().default("d") }));
  const seen: unknown[] = [];
  ext.setup((ctx) => void seen.push(ctx.config["url"], settings.url));
  await Host.with(ext, () => Promise.resolve(), { profile: "zot-0.1.62" });
  assert.deepEqual(seen, ["d", "d"]);
});

test("one that does not fit ends it with the place and what to do", async () => {
  const folder = scratch();
  install(folder, "zod");
  const program = `import { Extension } from "extline";
import { z } from "zod";
const ext = new Extension("weather", "1.0.0");
ext.config(z.object({ url: z.string() }));
await ext.run();
`;
  writeFileSync(join(folder, "weather.mjs"), program);
  const typed = '{"type":"hello_ack","protocol_version":1,"zot_version":"0.1.62","config":{"url":5}}\n';
  const done = await run(process.execPath, [join(folder, "weather.mjs")], { typed });
  assert.equal(done.code, 78);
  assert.match(done.stderr, /^extline: the configuration does not fit: \/url: .*extline config DIR KEY VALUE/);
  assert.doesNotMatch(done.stderr, /\n\s+at /);
});

test("what cannot be meant is refused", () => {
  const { ext, settings } = telling();
  assert.throws(() => ext.config(schema), /described already/);
  assert.throws(() => new Extension("a", "1.0.0").config({ type: "object" } as never), /none of zod/);
  assert.throws(() => settings.url, /before the host has answered/);
  assert.ok(new ConfigError("x") instanceof Error);
});

test("the page holds", async () => {
  const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
  const [, sample] = /^```typescript\n(.*?)^```$/ms.exec(page) ?? [];
  assert.ok(sample !== undefined);
  const folder = scratch();
  install(folder, "zod");
  const test = `${sample}
import { Host } from "extline/testing";
await Host.with(ext, async (host) => {
  console.log((await host.call("where")).text);
  await host.changeConfig({ base_url: "https://y" });
  console.log(host.logs.at(-1).message);
}, { config: { base_url: "https://x" } });
`;
  writeFileSync(join(folder, "weather.mjs"), test);
  const done = await run(process.execPath, [join(folder, "weather.mjs")]);
  assert.equal(done.stdout + done.stderr, "https://x, for 5000 ms\nit asks at https://y from now on\n");
});
