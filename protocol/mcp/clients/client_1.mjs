// The official client for TypeScript, version 1: what it sees of a server, as JSON.
// Arguments: `legacy`, then the command of the server, or its URL. In TOKEN is what a server with a URL wants to be told.
// Where TOOL has the name of a tool and its arguments, as JSON, only that is called, and its questions are answered
// by ANSWERS, field by field.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [, command, ...args] = process.argv.slice(2);
const { ANSWERS, TOKEN, TOOL } = process.env;
const capabilities = TOOL ? { elicitation: {} } : {};
const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
const requestInit = { headers: TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {} };
const transport = command.startsWith("http:")
  ? new StreamableHTTPClientTransport(new URL(command), { requestInit })
  : new StdioClientTransport({ command, args });
const asked = [];
if (TOOL) {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    const answers = Object.entries(JSON.parse(ANSWERS));
    const content = Object.fromEntries(answers.filter(([name]) => name in params.requestedSchema.properties));
    return { action: "accept", content };
  });
}
await client.connect(transport);
if (TOOL) {
  const [name, args] = JSON.parse(TOOL);
  const { content } = await client.callTool({ name, arguments: args });
  console.log(JSON.stringify({ asked, answer: content[0].text }));
  await transport.terminateSession?.();
  await client.close();
  process.exit();
}
const told = [];
const onprogress = ({ progress, total, message }) => told.push([progress, total, message]);
const { tools } = await client.listTools();
const answer = await client.callTool({ name: "weather", arguments: { city: "Berlin" } }, undefined, { onprogress });
const refused = await client.callTool({ name: "weather", arguments: { city: "Berlin", units: "k" } });
const prompt = await client.getPrompt({ name: "weather", arguments: { args: "Berlin" } });
console.log(
  JSON.stringify({
    version: transport._protocolVersion ?? "2025-11-25",
    server: client.getServerVersion().name,
    tools: tools.map((tool) => tool.name),
    answer: answer.content[0].text,
    refused: [refused.isError, refused.content[0].text],
    progress: told,
    prompt: prompt.messages[0].content.text,
  }),
);
await transport.terminateSession?.();
await client.close();
