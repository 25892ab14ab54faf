// The same without readline, which is faster: what stdin brings is cut at the line ends.
const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);

say({ type: "hello", name: "echo", version: "1.0.0", capabilities: ["tools"] });
say({
  type: "register_tool",
  name: "echo",
  description: "Answers with the text.",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});
say({ type: "ready" });

function take(line) {
  const frame = JSON.parse(line);
  if (frame.type === "tool_call") {
    say({ type: "tool_result", id: frame.id, content: [{ type: "text", text: frame.args.text }] });
  } else if (frame.type === "shutdown") {
    say({ type: "shutdown_ack" });
    process.stdin.destroy();
  }
}

// Of a line that has not ended.
let pieces = [];

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  let from = 0;
  for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
    pieces.push(chunk.slice(from, end));
    from = end + 1;
    const line = pieces.length === 1 ? pieces[0] : pieces.join("");
    pieces = [];
    take(line);
  }
  if (from < chunk.length) pieces.push(chunk.slice(from));
});
