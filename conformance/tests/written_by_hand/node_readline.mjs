// A tool in Node, lines by readline.
import readline from "node:readline";

const emit = (frame) => process.stdout.write(JSON.stringify(frame) + "\n");

emit({ type: "hello", name: "node-readline", version: "1.0.0", capabilities: ["tools"] });
emit({
  type: "register_tool",
  name: "echo",
  description: "Gives the text back.",
  schema: { type: "object", properties: { text: { type: "string" } } },
});
emit({ type: "ready" });

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let msg;
  try {
    msg = JSON.parse(line);
  } catch {
    return;
  }
  if (msg.type === "tool_call") {
    const known = msg.name === "echo";
    const text = known ? String(msg.args?.text) : `unknown tool ${msg.name}`;
    emit({ type: "tool_result", id: msg.id, content: [{ type: "text", text }], is_error: !known });
  } else if (msg.type === "shutdown") {
    emit({ type: "shutdown_ack" });
    process.exit(0);
  }
});
