// What the drivers of the two official clients for TypeScript share, for `extline conformance mcp-client`
// (docs/tester/mcp-clients.md): requests on stdin, answers on stdout.
import { createInterface } from "node:readline";

// `connect` gives a client that is ready to be used; `call` calls a tool of it with options.
export function drive({ connect, call }) {
  const servers = new Map();
  const calls = new Map();

  const start = async ({ name, command, args }) => {
    const server = { name, state: "starting", problem: null, tools: [] };
    servers.set(name, server);
    try {
      server.client = await connect({ command, args, stderr: "ignore" });
      server.client.onclose = () => (server.state = "ended");
      for (let cursor, more = true; more; more = cursor !== undefined) {
        const page = await server.client.listTools(cursor === undefined ? {} : { cursor });
        server.tools.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      }
      server.state = "ready";
    } catch (error) {
      Object.assign(server, { state: "failed", problem: error.message });
    }
  };

  const ops = {
    start: async (request) => (await Promise.all(request.servers.map(start)), true),
    servers: () => [...servers.values()].map(({ name, state, problem }) => ({ name, state, problem })),
    tools: () => [...servers.values()].flatMap(({ name, tools }) => tools.map((tool) => ({ name: tool, server: name }))),
    async call({ id, server, tool, args, timeout_ms: timeout }) {
      const controller = new AbortController();
      calls.set(id, controller);
      const options = { signal: controller.signal, ...(timeout === undefined ? {} : { timeout }) };
      try {
        const params = { name: tool, arguments: JSON.parse(args) };
        const { content, isError, structuredContent } = await call(servers.get(server).client, params, options);
        return { result: { content, is_error: Boolean(isError), structured_content: structuredContent } };
      } catch (error) {
        return { error: { message: error?.message ?? String(error) } };
      }
    },
    cancel: ({ call: id }) => (calls.get(id)?.abort("not wanted"), true),
    stop: async () => (await Promise.all([...servers.values()].map((server) => server.client?.close())), true),
  };

  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const request = JSON.parse(line);
    const op = ops[request.op];
    const said = op ? { ok: await op(request) } : { unsupported: `there is no op ${request.op}` };
    process.stdout.write(`${JSON.stringify({ id: request.id, ...said })}\n`);
  });
  lines.on("close", () => process.exit());
}
