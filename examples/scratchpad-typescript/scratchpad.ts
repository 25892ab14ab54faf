/** A scratchpad: commands and a panel for the user, a tool for the model, one list for all. */
import { Extension, Response, ToolError, type Context } from "extline";
import { Store } from "./store.ts";
import { View } from "./view.ts";

const PANEL = "scratchpad";

export const ext = new Extension("scratchpad-typescript", "1.0.0");
const view = new View();

ext.tool(
  "scratchpad",
  {
    description: "The user's scratchpad: reads it, adds a line to it, or removes one by its number.",
    input: {
      type: "object",
      properties: {
        action: { enum: ["read", "add", "remove"] },
        text: { type: "string", description: "The line to add" },
        number: { type: "integer", description: "The line to remove, from 1" },
      },
      required: ["action"],
    },
  },
  ({ action, text, number }, ctx) => {
    const lines = store(ctx).load();
    if (action === "read") return numbered(lines);
    if (action === "add") return keep([...lines, oneLine(text ?? "", "/text")], ctx);
    if (number === undefined || lines[number - 1] === undefined) {
      throw ToolError.notFound(`there is no line ${number}`, { field: "/number", hint: numbered(lines) });
    }
    return keep(lines.toSpliced(number - 1, 1), ctx);
  },
);

ext.command("jot", "keeps a line", (text, ctx) => keep([...store(ctx).load(), oneLine(text)], ctx), { usage: "TEXT" });

ext.command("scratchpad", "opens the scratchpad", (_, ctx) => {
  view.reset();
  return Response.openPanel({ id: PANEL, ...view.draw(store(ctx).load()) });
});

ext.panel(PANEL, (input, ctx) => {
  if (input.kind !== "key") return;
  const panel = ctx.panel(PANEL);
  const before = store(ctx).load();
  const after = view.press(input.key ?? "", input.text ?? "", before);
  if (after === undefined) panel.close();
  else if (after !== before) keep(after, ctx);
  else panel.render(view.draw(after));
});

/** The host says which folder is this extension's own. */
function store(ctx: Context): Store {
  if (ctx.dataDir === undefined) throw ToolError.unsupported("the host gives no data folder");
  return new Store(ctx.dataDir);
}

function keep(lines: readonly string[], ctx: Context): string {
  store(ctx).save(lines);
  ctx.panel(PANEL).render(view.draw(lines)); // nothing happens when the panel is not open
  return numbered(lines);
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, at) => `${at + 1}. ${line}`).join("\n") || "the scratchpad is empty";
}

function oneLine(text: string, field?: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  if (line === "") throw new ToolError("there is nothing to keep", { field });
  return line;
}

await ext.run(import.meta);
