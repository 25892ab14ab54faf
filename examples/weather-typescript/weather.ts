import { setTimeout as sleep } from "node:timers/promises";
import { Extension, Response, ToolError } from "extline";
import { z } from "zod";                       // optional: any Standard Schema or plain JSON Schema

export const ext = new Extension("weather", "1.0.0");
ext.tool("weather", {
  description: "Current weather for a city.",
  input: z.object({ city: z.string().describe("City name"), units: z.enum(["c", "f"]).default("c") }),
}, async ({ city }, ctx) => {                  // types inferred from the schema
  ctx.update(`asking for ${city}`, { done: 1, total: 2 });
  await sleep(10, undefined, { signal: ctx.signal });
  return `${city}: 16°C, fog`;
});
ext.command("weather", "current weather for a city", (args) => Response.prompt(`Show today's weather for ${args}.`));
await ext.run(import.meta);                    // returns at once when this module is imported by another; CommonJS: ext.run(module)
