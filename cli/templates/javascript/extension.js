const { Extension, Response, ToolError } = require("extline");

const ext = new Extension("{{name}}", "0.1.0");

const who = { type: "string", description: "Whom to greet" };
ext.tool("greet", {
  description: "Greets somebody by name.",
  input: { type: "object", properties: { who }, required: ["who"] },
}, ({ who }, ctx) => {
  ctx.update("thinking of a greeting");
  if (who.trim() === "") throw new ToolError("nobody to greet", { field: "/who" });
  return `Hello, ${who}!`;
});

ext.command("{{name}}", "asks the model for a greeting", (args) => Response.prompt(`Greet ${args} in one line.`));

module.exports = { ext };
ext.run(module);
