/** A safety net for the tool bash: what destroys is blocked, what has no timeout gets one. */
import { Extension } from "extline";
import { danger } from "./danger.ts";

const TIMEOUT = 120; // seconds

export const ext = new Extension("guard-typescript", "1.0.0");

ext.intercept("tool_call", (call) => {
  if (call.tool === "bash" && !("timeout" in call.args)) return call.rewrite({ ...call.args, timeout: TIMEOUT });
});

// It sees what will run, after every rewrite. What cannot be read throws, and that blocks too.
ext.guard("destroys nothing", (call) => {
  if (call.tool !== "bash") return;
  const { command } = call.args;
  if (typeof command !== "string") throw new TypeError("a call of bash without a command");
  const reason = danger(command);
  if (reason) return call.block(`refused: ${reason}`);
});

await ext.run(import.meta);
