/** What a host gives the kit: secrets, values that are kept, the history, programs. */
import { kit } from "./memory.js";

const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const KEEP = {
  type: "object",
  properties: { op: { enum: ["get", "set", "delete", "list", "add"] }, key: { type: "string" }, value: {} },
  required: ["op", "key"],
} as const;
const HISTORY = {
  type: "object",
  properties: { op: { enum: ["append", "branch", "info"] }, data: {} },
  required: ["op"],
} as const;
const RUN = {
  type: "object",
  properties: { command: { type: "string" }, args: { type: "array", items: { type: "string" } } },
  required: ["command", "args"],
} as const;
const AGENT = {
  type: "object",
  properties: {
    op: { enum: ["state", "abort", "tools", "activate", "deactivate", "models"] },
    names: { type: "array", items: { type: "string" } },
  },
  required: ["op"],
} as const;

kit.tool("secret", { description: "Asks for a secret.", input: NAME }, async ({ name }, ctx) => {
  const key = await ctx.secret(name);
  return `${key} ${key.reveal()}`;
});

kit.tool("variable", { description: "Asks for a variable.", input: NAME }, ({ name }, ctx) => ctx.env(name));

kit.tool("keep", { description: "Keeps values.", input: KEEP }, async ({ op, key, value }, ctx) => {
  const values = ctx.state.session;
  if (op === "get") return { value: (await values.get(key)) ?? null };
  if (op === "set") return values.set(key, value).then(() => "kept");
  if (op === "delete") return { deleted: await values.delete(key) };
  if (op === "list") return values.list(key);
  return { value: await values.modify<number>(key, (n) => (n ?? 0) + 1) };
});

kit.tool("history", { description: "Reads and writes the history.", input: HISTORY }, async ({ op, data }, ctx) => {
  if (op === "append") return ctx.history.append("note", data);
  if (op === "branch") return (await ctx.history.branch(["note"])).map((entry) => entry.data);
  const { id, durable } = await ctx.history.info();
  return { durable, id };
});

kit.tool("run", { description: "Has a program run.", input: RUN }, async ({ command, args }, ctx) => {
  const heard: { stream: string; text: string }[] = [];
  const { code, signal, stdout } = await ctx.exec(command, args, {
    onOutput: (text, stream) => heard.push({ stream, text }),
  });
  return { code: code ?? null, heard, signal: signal ?? null, stdout };
});

kit.tool("agent", { description: "Asks how the agent stands.", input: AGENT }, async ({ op, names = [] }, { agent }) => {
  if (op === "state") return (await agent.state()).model;
  if (op === "abort") return { calls: await agent.abort("it was to end") };
  if (op === "tools") return (await agent.tools()).map((tool) => tool.name);
  if (op === "models") return (await agent.models()).map((model) => model.id);
  return op === "activate" ? agent.activate(names) : agent.deactivate(names);
});

kit.state({ version: 2, migrate: (values, version) => ({ [`v${version}`]: values }) });
