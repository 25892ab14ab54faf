/** What the kit knows of its call, and what a tool can declare. */
import { kit } from "./memory.js";

const NONE = { type: "object", properties: {} } as const;
const ASK = {
  type: "object",
  properties: { name: { type: "string" }, args: { type: "object" } },
  required: ["name", "args"],
} as const;
const REQUEST = {
  type: "object",
  properties: { method: { type: "string" }, params: { type: "object" } },
  required: ["method", "params"],
} as const;
const CONFIRM = { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const;
const PROPOSE = { type: "object", properties: { label: { type: "string" } }, required: ["label"] } as const;
const LONGEST = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

kit.tool("report", { description: "Tells what it knows of its call and its host.", input: NONE }, (_, ctx) => ({
  call_id: ctx.callId,
  host: ctx.host.name,
  host_version: ctx.host.version,
  model: ctx.host.model,
  cwd: ctx.host.cwd,
  data_dir: ctx.dataDir ?? "",
  deadline: ctx.deadline !== undefined,
  tool_update: ctx.host.supports("tool_update"),
  call_tool: ctx.host.supports("call_tool"),
}));

kit.tool("config", { description: "Gives its configuration back.", input: NONE }, (_, ctx) => ctx.config);

kit.tool("ask", { description: "Calls a tool of the host.", input: ASK }, async ({ name, args }, ctx) => {
  return (await ctx.callTool(name, args)).text;
});

kit.tool("request", { description: "Asks the host by method.", input: REQUEST }, async ({ method, params }, ctx) => {
  const parts: unknown[] = [];
  const result = await ctx.request(method, params, { onPart: (part) => parts.push(part) });
  return { parts, result };
});

kit.tool("confirm", { description: "Asks the person.", input: CONFIRM }, async ({ title }, ctx) => {
  const said = (await ctx.ui.confirm(title)) ? "yes" : "no";
  return ctx.deadline !== undefined && new Date() >= ctx.deadline ? `${said} too late` : said;
});

kit.tool("propose", { description: "Proposes an action.", input: PROPOSE }, async ({ label }, ctx) => {
  const apply = (reason: string) => {
    if (reason === "fail") throw new Error("it was to fail");
    return `done ${label}: ${reason}`;
  };
  return `proposed ${await ctx.pending.push({ label, apply, reject: (reason) => `dropped ${label}: ${reason}` })}`;
});

/** The keys of the calls that it has done. */
const paid: string[] = [];
const PAY = { description: "Tells what it has done.", input: NONE, replay: "reconcile" } as const;
kit.tool("pay", PAY, (_args, ctx) => {
  const key = ctx.operationKey ?? "";
  if (ctx.reconcile) return { state: paid.at(-1) === key ? "completed" : "not_started" };
  return { key, paid: paid.push(key) };
});

kit.tool(
  "declared",
  {
    description: "Declares all that a tool can declare.",
    input: NONE,
    label: "Declared",
    timeoutMs: 20_000,
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
    sequential: true,
    approval: { gated: true, tier: "read", key: "all", reason: "it is a test" },
  },
  () => "declared",
);

const description = "Has the longest name, with every character that a name may have.";
kit.tool(LONGEST, { description, input: NONE }, () => "named");
