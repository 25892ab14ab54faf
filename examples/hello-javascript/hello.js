const { Extension, Response } = require("extline");

const ext = new Extension("hello-javascript", "1.0.0");

ext.command("hello", "says hello", (args) => `Hello, ${args || "world"}!`);
ext.command("greet", "lets the model greet somebody", (args) => Response.prompt(`Greet ${args} in one line.`));

// Plain JSON Schema: checked before the handler is called.
const who = { type: "string", description: "Whom to greet", minLength: 1 };
ext.tool("hello", {
  description: "Greets somebody by name.",
  input: { type: "object", properties: { who }, required: ["who"] },
}, ({ who }) => `Hello, ${who}!`);

module.exports = ext;
ext.run(module); // does nothing when another module requires this one
