import { Extension, Response, ToolError } from "extline";
import { z } from "zod";

export const ext = new Extension("{{name}}", "0.1.0");

ext.tool("greet", {
  description: "Greets somebody by name.",
  input: z.object({ who: z.string().describe("Whom to greet") }),
}, ({ who }, ctx) => {
  ctx.update("thinking of a greeting");
  if (who.trim() === "") throw new ToolError("nobody to greet", { field: "/who" });
  return `Hello, ${who}!`;
});

ext.command("{{name}}", "asks the model for a greeting", (args) => Response.prompt(`Greet ${args} in one line.`));

await ext.run(import.meta);
