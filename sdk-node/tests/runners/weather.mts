// An extension as an author writes it: it runs when it is the program, and is imported by its tests.
import { setTimeout as sleep } from "node:timers/promises";
import { Extension, Response, ToolError } from "extline";
import { z } from "zod";

export const ext = new Extension("weather", "1.0.0");

ext.tool(
  "weather",
  {
    description: "Current weather for a city.",
    input: z.object({
      city: z.string().describe("City name"),
      units: z.enum(["c", "f"]).default("c"),
      delay_ms: z.int().default(0),
    }),
  },
  async ({ city, units, delay_ms }, ctx) => {
    ctx.update(`asking for ${city}`);
    await sleep(delay_ms, undefined, { signal: ctx.signal });
    if (city === "Atlantis") throw ToolError.notFound("no such city", { field: "/city" });
    return `${city}: ${units === "c" ? "16°C" : "61°F"}, fog`;
  },
);

ext.command("weather", "current weather for a city", (args) =>
  Response.prompt(`Show today's weather for ${args} in one line.`),
);

await ext.run(import.meta);
