// The official client for TypeScript, version 2: what it sees of a server, as JSON.
// Arguments: `legacy` or `modern`, then the command of the server, or its URL. In TOKEN is what a server with a URL
// wants to be told.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, command, ...args] = process.argv.slice(2);
const versionNegotiation = { mode: mode === "legacy" ? "legacy" : "auto" };
const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation });
const { TOKEN } = process.env;
const requestInit = { headers: TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {} };
const transport = command.startsWith("http:")
  ? new StreamableHTTPClientTransport(new URL(command), { requestInit })
  : new StdioClientTransport({ command, args });
await client.connect(transport);
const told = [];
const onprogress = ({ progress, total, message }) => told.push([progress, total, message]);
const { tools } = await client.listTools();
const answer = await client.callTool({ name: "weather", arguments: { city: "Berlin" } }, { onprogress });
const refused = await client.callTool({ name: "weather", arguments: { city: "Berlin", units: "k" } });
const prompt = await client.getPrompt({ name: "weather", arguments: { args: "Berlin" } });
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion(),
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
