// A tool in Node that splits chunks itself.
let rest = "";

const emit = (frame) => process.stdout.write(JSON.stringify(frame) + "\n");

emit({ type: "hello", name: "node-chunks", version: "1.0.0", capabilities: ["tools"] });
emit({
  type: "register_tool",
  name: "echo",
  description: "Gives the text back.",
  schema: { type: "object", properties: { text: { type: "string" } } },
});
emit({ type: "ready" });

process.stdin.on("data", (chunk) => {
  rest += chunk.toString();
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    if (!line.trim()) continue;
    let msg;
    try {
      msg = JSON.parse(line);
    } catch (error) {
      console.error("skipped a line:", error.message);
      continue;
    }
    if (msg.type === "tool_call") {
      const known = msg.name === "echo";
      const text = known ? String(msg.args?.text) : `unknown tool ${msg.name}`;
      emit({ type: "tool_result", id: msg.id, content: [{ type: "text", text }], is_error: !known });
    } else if (msg.type === "shutdown") {
      emit({ type: "shutdown_ack" });
      process.exit(0);
    }
  }
});
