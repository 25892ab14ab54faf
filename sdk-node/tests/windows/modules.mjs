// For scripts/test_windows.py: the modules for tests and for models, as an author and an agent use them.
import assert from "node:assert/strict";
import { Extension, Response, ToolError } from "extline";
import { extract, repair } from "extline/model";
import { Host } from "extline/testing";

const ext = new Extension("weather", "1.0.0");
const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
ext.tool("weather", { description: "Weather of a city.", input }, async ({ city }) => {
  if (city === "Atlantis") throw ToolError.notFound("no such city", { field: "/city" });
  return `${city}: fog`;
});
ext.tool("trip", { description: "What to pack." }, async (_, ctx) => (await ctx.callTool("forecast", {})).text);
ext.tool("wait", { description: "Waits until it is cancelled." }, async (_, ctx) => {
  ctx.update("begun");
  await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
});
ext.command("weather", "weather of a city", (args) => Response.prompt(`Show ${args}.`));
ext.guard("noRm", (call) => (String(call.args.command).includes("rm -rf") ? call.block("refused") : undefined));

const play = async (host) => {
  assert.equal((await host.call("weather", { city: "Berlin" })).text, "Berlin: fog");
  const answer = await host.call("weather", { city: "Atlantis" });
  assert.deepEqual([answer.isError, answer.kind, answer.field], [true, "not_found", "/city"]);
  assert.equal((await host.call("weather", { city: 7 })).kind, "validation");
  assert.equal((await host.call("trip")).text, "rain");
  const call = await host.begin("wait", {});
  assert.equal((await host.nextUpdate(call)).progress?.message, "begun");
  await host.cancel(call);
  assert.equal((await host.finish(call)).kind, "cancelled");
  assert.equal((await host.command("weather", "Rome")).prompt, "Show Rome.");
  const ruling = await host.intercept("tool_call", { tool: "bash", args: { command: "rm -rf /" } });
  assert.equal(ruling.blocked, "refused");
};
await Host.with(ext, play, { tools: { forecast: () => "rain" } });
assert.deepEqual(repair("{'path': 'a.txt', lines: [1, 2,],}").value, { path: "a.txt", lines: [1, 2] });
const found = extract('<tool_call>{"name": "rain", "arguments": {"city": "Rome"}}</tool_call>', ["rain"]);
assert.deepEqual(found.calls.map(({ name }) => name), ["rain"]);
console.log("modules are well");
