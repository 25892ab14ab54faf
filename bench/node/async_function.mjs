// The Node SDK under the benchmark: the same by a handler that is async.
import { Extension } from "extline";

const ext = new Extension("echo", "1.0.0");

ext.tool(
  "echo",
  {
    description: "Answers with the text.",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  async ({ text }) => text,
);

await ext.run(import.meta);
