// The Node SDK under the benchmark: one tool that answers with its text.
import { Extension } from "extline";

const ext = new Extension("echo", "1.0.0");

ext.tool(
  "echo",
  {
    description: "Answers with the text.",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  ({ text }) => text,
);

await ext.run(import.meta);
