// The driver of the official client for TypeScript, version 2. Argument: `legacy` or `auto`, how it begins with a server.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { drive } from "./drive.mjs";

drive({
  async connect(server) {
    const versionNegotiation = { mode: process.argv[2] };
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation });
    await client.connect(new StdioClientTransport(server));
    return client;
  },
  call: (client, params, options) => client.callTool(params, options),
});
