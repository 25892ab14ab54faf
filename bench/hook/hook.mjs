// What an author would write as a hook of its own: it starts, decides about one event, and ends.
import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
if (/\brm\s+-\w*r\w*\s+\//.test(event.tool_input.command ?? "")) {
    const decision = { permissionDecision: "deny", permissionDecisionReason: "refused: this deletes the root" };
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } }));
}
