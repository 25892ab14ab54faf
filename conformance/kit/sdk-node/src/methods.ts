/** What the host may ask for by method. */
import { setTimeout as sleep } from "node:timers/promises";
import { kit } from "./memory.js";

kit.method("kit.count", function* (params) {
  const { n, bytes } = params as { n: number; bytes?: number };
  const began = performance.now();
  for (let i = 1; i <= n; i++) yield bytes === undefined ? i : "x".repeat(bytes);
  return bytes !== undefined && performance.now() - began >= 500 ? "waited" : n;
});

kit.method("kit.wait", async (_, ctx) => {
  while (ctx.deadline === undefined || new Date() < ctx.deadline) await sleep(2, undefined, { signal: ctx.signal });
  return "over";
});
