// The types of everything that is no tool. This is compiled, not run: what must not compile says so.
import { Extension, Response, ToolError, type Context, type ToolOutput } from "extline";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(same: Equal<A, B>): void;

const ext = new Extension("types");
// @ts-expect-error: an extension has a name
new Extension();

// Commands.
ext.command("a", "a", (args, ctx) => {
  same<typeof args, string>(true);
  same<typeof ctx, Context>(true);
  return Response.prompt(args);
});
ext.command("b", "b", async () => "shown").command("c", "c", () => {}, { usage: "CITY", required: true });
// @ts-expect-error: a number is no answer
ext.command("d", "d", () => 5);
// @ts-expect-error: that is the Response of fetch
ext.command("e", "e", () => globalThis.Response.json({}));
// @ts-expect-error: it has a description
ext.command("f", () => "");
// @ts-expect-error: it is made by its functions
new Response({ action: "noop" });
// @ts-expect-error: a panel has an id
Response.openPanel({ lines: [] });

// Interceptors and guards.
ext.intercept("tool_call", (call) => {
  same<typeof call.tool, string>(true);
  if (call.args.command === "rm") return call.block("no");
  return call.tool === "bash" ? call.rewrite({ command: "ls" }) : undefined;
});
ext.intercept("assistant_message", async (message) => message.replace("x"), { onFailure: "allow" });
ext.intercept("before_agent_start", (start) => start.systemPrompt(`${start.currentPrompt} (ours)`));
ext.intercept("of_tomorrow", (moment) => moment.block("no"), { unlisted: true });
// @ts-expect-error: no such point
ext.intercept("tool_cal", () => undefined);
// @ts-expect-error: an agent's start cannot be blocked
ext.intercept("before_agent_start", (start) => start.block("no"));
ext.intercept("tool_call", (call) => {
  // @ts-expect-error: it would change nothing
  call.args.command = "ls";
});
// @ts-expect-error: a message cannot be rewritten
ext.intercept("assistant_message", (message) => message.rewrite({}));
// @ts-expect-error: neither allow nor block
ext.intercept("tool_call", () => undefined, { onFailure: "ask" });
// @ts-expect-error: a text is no decision
ext.intercept("tool_call", () => "no");
ext.guard("no-rm", (call) => (call.tool === "rm" ? call.block("no") : undefined));
ext.guard(function noRm(call) {
  // @ts-expect-error: a guard may not rewrite
  return call.rewrite({});
});
ext.guard("soft", () => undefined, { onFailure: "allow", required: true });
// @ts-expect-error: neither allow nor block
ext.guard("odd", () => undefined, { onFailure: "ask" });
// @ts-expect-error: true would not say why
ext.guard(() => true);

// Events, panels, setup.
ext.on("turn_end", (event) => {
  same<typeof event.event, "turn_end">(true);
  same<typeof event.stop, string | undefined>(true);
  // @ts-expect-error: no event has such a member
  event.nonsense;
  // @ts-expect-error: this event has no such member
  event.toolName;
});
ext.on("tool_result", async ({ toolName, result }, ctx) => {
  ctx.log(`${toolName}: ${result?.content.length}`);
});
let count = 0;
const seen: string[] = [];
ext.on("turn_start", () => (count += 1));
ext.on("session_start", ({ cwd }) => seen.push(cwd ?? ""));
ext.on("session_end", () => new Map());
ext.on("moon_phase", (event) => void seen.push(event.event), { unlisted: true });
// @ts-expect-error: no such event
ext.on("turn_ended", () => {});
// @ts-expect-error: an event is only told
ext.on("tool_call", () => ({ block: true, reason: "no" }));
// @ts-expect-error: also later
ext.on("tool_call", async () => ({ block: true, reason: "no" }));
ext.panel("p", (input, ctx) => {
  if (input.kind === "key") ctx.panel("p").render({ lines: [input.key ?? ""] });
});
ext.setup(async (ctx) => {
  if (ctx.host.supports("tool_update")) ext.tool("late", { description: "x" }, () => "");
});
ext.teardown(() => {});

// The context.
ext.tool("ctx", { description: "x" }, async (_, ctx) => {
  ctx.update("reading", { done: 1, total: 2, unit: "files" });
  ctx.update({ text: "so far" });
  // @ts-expect-error: the message is given already
  ctx.update("reading", { message: "twice" });
  // @ts-expect-error: done is a number
  ctx.update("reading", { done: "1" });
  for await (const file of ctx.track(["a", "b"])) same<typeof file, string>(true);
  const output = await ctx.callTool("read", { path: "a" }, { signal: ctx.signal });
  same<typeof output, ToolOutput>(true);
  ctx.log("read", "warn", { path: "a" });
  // @ts-expect-error: no such level
  ctx.notify("read", "loud");
});

// Errors.
throw ToolError.notFound("no", { field: "/a", hint: "b", causes: ["c"], retryAfterMs: 1, cause: new Error("d") });
// @ts-expect-error: no such kind
ToolError.gone("no");
// @ts-expect-error: nor by name
ToolError.ofKind("gone", "no");
// @ts-expect-error: the field is a pointer
ToolError.stale("no", { field: 5 });

// How it runs.
await ext.run(import.meta);
// @ts-expect-error: neither import.meta nor module
await ext.run("weather.ts");
