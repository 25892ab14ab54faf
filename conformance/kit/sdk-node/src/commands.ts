/** The commands. */
import { Response } from "extline";
import { hold, kit, MESSAGE } from "./memory.js";
import * as panel from "./panel.js";

kit.command("echo", "shows its arguments", (args) => Response.display(args), { usage: "TEXT" });

const actions: Record<string, Response> = {
  prompt: Response.prompt("a text"),
  insert: Response.insert("a text"),
  display: Response.display("a text"),
  noop: Response.noop(),
  tool_prompt: Response.toolPrompt("text", { text: "a" }, "a text"),
};
const unknown = Response.error("there is no such action");
kit.command("action", "answers with each action", (name) => actions[name] ?? unknown, { usage: "NAME" });

kit.command("fail", "fails", () => {
  throw new Error(MESSAGE);
});

kit.command("panic", "fails badly", () => Promise.reject(null));

kit.command("hold", "waits until its name is released", (name, ctx) => hold(name, ctx), { usage: "NAME" });

kit.command(
  "panel",
  "opens the panel",
  (title) => {
    panel.typed.length = 0;
    return Response.openPanel({ id: panel.ID, title, lines: [""], footer: "type" });
  },
  { usage: "TITLE" },
);
