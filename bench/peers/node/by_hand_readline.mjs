// What an author would write by hand: lines by readline, JSON, lines to stdout.
import { createInterface } from "node:readline";

const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);

say({ type: "hello", name: "echo", version: "1.0.0", capabilities: ["tools"] });
say({
  type: "register_tool",
  name: "echo",
  description: "Answers with the text.",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});
say({ type: "ready" });

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => {
  const frame = JSON.parse(line);
  if (frame.type === "tool_call") {
    say({ type: "tool_result", id: frame.id, content: [{ type: "text", text: frame.args.text }] });
  } else if (frame.type === "shutdown") {
    say({ type: "shutdown_ack" });
    lines.close();
  }
});
