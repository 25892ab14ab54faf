// The driver of the official client for TypeScript, version 1.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { drive } from "./drive.mjs";

drive({
  async connect(server) {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransport(server));
    return client;
  },
  call: (client, params, options) => client.callTool(params, undefined, options),
});
