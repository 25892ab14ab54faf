/** Events, interceptors and the guard. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "extline";
import { kit, labels, MESSAGE } from "./memory.js";

async function record(event: Event): Promise<void> {
  if (event.event === "turn_start" && event.step !== undefined && event.step % 10 === 0) await sleep(20);
  const parts = [event.event, event.step, event.toolName, event.text];
  labels.push(parts.filter((part) => part !== undefined).join(" "));
  if (event.event === "turn_end" && event.error === "throw") throw new Error(MESSAGE);
}

const EVENTS = ["session_start", "turn_start", "turn_end", "tool_call", "assistant_message"] as const;
for (const name of EVENTS) kit.on(name, record);
kit.on("tool_result", record, { tools: ["bash", "mcp_*"] });

kit.intercept("tool_call", async (call) => {
  const { do: what } = call.args;
  if (what === "block") return call.block("the kit says no");
  if (what === "rewrite") return call.rewrite({ ...call.args, first: true });
  if (what === "throw") throw new Error(MESSAGE);
  if (what === "hang") await sleep(60_000);
  if (what === "late") {
    await sleep(700);
    return call.block("too late");
  }
});

kit.intercept("tool_call", (call) => {
  if (call.args.first === true) return call.rewrite({ ...call.args, second: true });
});

kit.guard("kit", async (call, ctx) => {
  const { do: what, second, veto } = call.args;
  if (what === "veto") return call.block("vetoed");
  if (what === "veto_unless") return call.ask("it is grave");
  if (what === "veto_throw") throw new Error(MESSAGE);
  if (what === "veto_ask" && !(await ctx.ui.confirm("May it?"))) return call.block("the person says no");
  if (what === "veto_hang") await sleep(60_000);
  if (second === true && veto === true) return call.block("saw second");
});

kit.intercept(
  "turn_start",
  (turn) => {
    if (turn.step === 900) return turn.block("enough");
    if (turn.step === 901) throw new Error(MESSAGE);
  },
  { onFailure: "allow" },
);

kit.intercept("assistant_message", (message) => {
  const text = message.text ?? "";
  if (text === "throw") throw new Error(MESSAGE);
  if (text === "erase") return message.replace("");
  if (text.includes("forbidden")) return message.block("an unkind word");
  if (text.includes("plain")) return message.replace(text.replaceAll("plain", "better"));
});

kit.intercept("before_agent_start", (start) => {
  const prompt = start.currentPrompt;
  if (prompt === "throw") throw new Error(MESSAGE);
  if (prompt === "keep") return;
  return start.systemPrompt(prompt === "remove" ? "" : `${prompt} (kit)`);
});

kit.intercept(
  "tool_result",
  (answer) => {
    if (answer.text === "throw") throw new Error(MESSAGE);
    if (answer.text === "withhold") return answer.withhold("not for you");
    if (answer.text === "fail") return answer.fail("it was no good");
    if (answer.text === "cut") return answer.replace("***");
    if (answer.text === "all") {
      return answer.replace("***", { structuredContent: { n: 1 }, details: { d: 2 }, isError: false });
    }
  },
  { onFailure: "block" },
);

kit.intercept("user_prompt_submit", (prompt) => {
  const text = prompt.text ?? "";
  if (text === "throw") throw new Error(MESSAGE);
  if (text === "handled") return prompt.handled();
  if (text.includes("forbidden")) return prompt.block("not here");
  if (text.includes("plain")) return prompt.replace(text.replaceAll("plain", "better"));
});
