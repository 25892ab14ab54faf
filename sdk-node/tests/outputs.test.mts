// Tools whose model chooses how their value is written, and what a tool proposes.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DefinitionError, Extension, ToolError, ToolResult } from "extline";
import { Host } from "extline/testing";
import { z } from "zod";
import { install, ROOT, run, scratch } from "./repository.mjs";

const HITS = [{ path: "a.ts", line: 3 }];

test("a model chooses how a value is written", async () => {
  const ext = new Extension("find", "1").tool("find", {
    description: "Finds a word.",
    input: z.strictObject({ word: z.string() }),
    output: z.array(z.object({ path: z.string(), line: z.number() })),
    outputs: ["labeled", "json"],
  }, ({ word }) => [{ path: `${word}.ts`, line: 3 }]);
  await Host.with(ext, async (host) => {
    const told = host.tools[0] as any;
    assert.deepEqual(told.schema.properties.output.enum, ["labeled", "json"]);
    assert.equal(told.output_schema.type, "array");
    assert.equal(told.outputs, undefined);
    for (const [more, text] of [
      [{}, "path | line\na.ts | 3"],
      [{ output: "labeled" }, "path | line\na.ts | 3"],
      [{ output: "json" }, '{"count":1,"items":[{"path":"a.ts","line":3}]}'],
    ] as const) {
      const answer = await host.call("find", { word: "a", ...more });
      assert.equal(answer.text, text);
      assert.deepEqual(answer.value, HITS);
    }
    const refused = await host.call("find", { word: "a", output: "xml" });
    assert.deepEqual([refused.kind, refused.field], ["validation", "/output"]);
  });
});

test("what is no value stays as it is", async () => {
  const outputs = ["json", "labeled"] as const;
  const ext = new Extension("find", "1");
  ext.tool("count", { description: "x", outputs: ["labeled", "json"] }, () => new ToolResult("two hits", { structured: { hits: 2 } }));
  ext.tool("say", { description: "x", outputs }, () => "two hits");
  ext.tool("fail", { description: "x", outputs }, () => {
    throw ToolError.conflict("no");
  });
  await Host.with(ext, async (host) => {
    assert.equal((await host.call("count")).text, "two hits");
    assert.equal((await host.call("count", { output: "json" })).text, '{"hits":2}');
    assert.equal((await host.call("say")).text, "two hits");
    const failed = await host.call("fail");
    assert.deepEqual([failed.kind, failed.text], ["conflict", "no"]);
  });
});

test("one form alone adds no argument", async () => {
  const input = z.object({ output: z.string() });
  const ext = new Extension("find", "1").tool("save", { description: "x", input, outputs: ["labeled"] }, ({ output }) => ({ saved: output }));
  await Host.with(ext, async (host) => {
    assert.equal((await host.call("save", { output: "a.txt" })).text, "saved: a.txt");
  });
});

test("a tool proposes how it is offered", async () => {
  const preference = { enabled: false, weight: 0.8, parameters: { limit: 10 }, reason: "few ask for it" };
  const ext = new Extension("find", "1").tool("find", { description: "x", preference }, () => "");
  await Host.with(ext, (host) => {
    assert.deepEqual((host.tools[0] as any).preference, preference);
  });
});

test("mistakes are told at the author's line", () => {
  const own = { type: "object", properties: { output: { type: "string" } } };
  for (const [options, says] of [
    [{ outputs: "json" }, /its outputs is "json", and must be a list such as \["labeled", "json"\]$/],
    [{ outputs: ["json", 1] }, /its outputs is an array, and must be a list such as/],
    [{ outputs: ["xml"] }, /"xml" is none; there are labeled and json/],
    [{ outputs: [] }, /there is none; leave `outputs` out, or name one/],
    [{ outputs: ["labeled", "json"], input: own }, /an argument `output` of its own: rename it/],
    [{ preference: 0.8 }, /its preference is a number, and must be an object$/],
    [{ preference: { wait: 0.8 } }, /there is no preference\.wait; there are enabled, weight, parameters, reason$/],
    [{ preference: { enabled: 1 } }, /its preference\.enabled is 1, and must be a boolean$/],
    [{ preference: { weight: NaN } }, /its preference\.weight is null, and must be a number from 0 to 1$/],
    [{ preference: { weight: 1.5 } }, /its preference\.weight is 1\.5, and must be a number from 0 to 1$/],
    [{ preference: { parameters: [1] } }, /its preference\.parameters is an array, and must be an object$/],
  ] as [object, RegExp][]) {
    assert.throws(() => (new Extension("x") as any).tool("f", { description: "x", ...options }, () => 1), (error: Error) => {
      assert.ok(error instanceof DefinitionError, String(error));
      assert.match(error.message, /^\S*outputs\.test\.mjs:\d+: /);
      assert.match(error.message, says);
      return true;
    });
  }
});

test("it finds as the page says", async () => {
  const page = readFileSync(join(ROOT, "docs/typescript/tools-and-types.md"), "utf8");
  const [, program] = /^```js find\.mjs\n(.*?)^```$/ms.exec(page) ?? [];
  const [, typed] = /^```console\n(\$ extline call find .*?)^```$/ms.exec(page) ?? [];
  assert.ok(program !== undefined && typed !== undefined);
  const folder = scratch();
  install(folder);
  writeFileSync(join(folder, "find.mjs"), program);
  for (const part of typed.split(/^\$ /m).slice(1)) {
    const [command, ...shown] = part.split("\n");
    const said = await run("sh", ["-c", command!], { folder });
    assert.equal(said.stderr + said.stdout, shown.join("\n"), command);
  }
});
