/** Tools that take their time, and tell of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { ToolResult } from "extline";
import { hold, kit, labels, released, until } from "./memory.js";

const NONE = { type: "object", properties: {} } as const;
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const COUNT = { type: "object", properties: { count: { type: "integer", minimum: 0 } }, required: ["count"] } as const;
const TIME = { type: "object", properties: { ms: { type: "integer", minimum: 0 } }, required: ["ms"] } as const;
const NOTES = { type: "object", properties: { n: { type: "integer", minimum: 0 } }, required: ["n"] } as const;

kit.tool("hold", { description: "Waits until its name is released.", input: NAME }, ({ name }, ctx) => hold(name, ctx));

kit.tool("release", { description: "Lets what holds a name go on.", input: NAME }, ({ name }) => {
  released.add(name);
  return "released";
});

let calls = 0;
kit.tool("counter", { description: "Counts its calls.", input: NONE }, () => String(++calls));

kit.tool("order", { description: "Tells in which order events came.", input: COUNT }, async ({ count }, ctx) => {
  await until(() => labels.length >= count, ctx);
  return new ToolResult(undefined, { structured: labels.splice(0) });
});

kit.tool("sleep", { description: "Waits for a while.", input: TIME }, ({ ms }, ctx) => {
  return sleep(ms, "slept", { signal: ctx.signal });
});

kit.tool("await_cancel", { description: "Waits for its cancel.", input: NONE }, (_, ctx) => {
  ctx.update("waiting");
  return until(() => false, ctx);
});

kit.tool("busy", { description: "Computes until it is cancelled.", input: TIME }, ({ ms }, ctx) => {
  const end = performance.now() + ms;
  while (performance.now() < end && !ctx.cancelled);
  return `cancelled: ${ctx.cancelled}`;
});

const steps = {
  type: "object",
  properties: { n: { type: "integer", minimum: 0 }, ms: { type: "integer", minimum: 0 } },
  required: ["n", "ms"],
} as const;
kit.tool("updates", { description: "Tells how far it is.", input: steps }, async ({ n, ms }, ctx) => {
  for (let i = 1; i <= n; i++) {
    ctx.update(`step ${i}`, { done: i, total: n });
    await sleep(ms, undefined, { signal: ctx.signal });
  }
  return "done";
});

kit.tool("notify_then", { description: "Writes notes, then answers.", input: NOTES }, ({ n }, ctx) => {
  for (let i = 1; i <= n; i++) ctx.notify(`note ${i}`);
  return "done";
});

const log = {
  type: "object",
  properties: { level: { enum: ["info", "warn", "error"] }, message: { type: "string" } },
  required: ["level", "message"],
} as const;
kit.tool("log", { description: "Writes a log line.", input: log }, ({ level, message }, ctx) => {
  ctx.log(message, level);
  return "logged";
});
