/** What a command answers. */

import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import { Misreturned } from "./misreturned.js";
import type { View } from "./services.js";

/** A panel as it is opened. */
export interface PanelContent {
  /** Names the panel: its handler is registered under this id. */
  id: string;
  /** Stands above the lines. */
  title?: string | undefined;
  /** Its lines; ANSI colours are allowed. */
  lines?: readonly string[] | undefined;
  /** Stands below the lines. */
  footer?: string | undefined;
  /** What is shown in place of the lines, by a host that shows views. */
  view?: View | undefined;
}

type Fields = Record<string, unknown> & { action: string };

/**
 * What the host does once a command has run. Made by the static methods.
 *
 * @example
 * ```ts
 * ext.command("review", "review a branch", (branch) => Response.prompt(`Review the branch ${branch}.`));
 * ```
 */
export class Response {
  /** The answer with the names of the wire (`command.action`). */
  readonly fields: Readonly<Fields>;

  private constructor(fields: Fields) {
    this.fields = fields;
  }

  /** Sends a prompt to the model. */
  static prompt(prompt: string): Response {
    return new Response({ action: "prompt", prompt: text(prompt, "a prompt") });
  }

  /** Puts a text into the editor. */
  static insert(insert: string): Response {
    return new Response({ action: "insert", insert: text(insert, "what is inserted") });
  }

  /** Shows a text. A command that returns a string does the same. */
  static display(display: string): Response {
    return new Response({ action: "display", display: text(display, "what is displayed") });
  }

  /** Does nothing. A command that returns nothing does the same. */
  static noop(): Response {
    return new Response({ action: "noop" });
  }

  /** Opens a panel. */
  static openPanel(content: PanelContent): Response {
    checkPanel(content, true);
    const { id, title, lines, footer, view } = content;
    return new Response({ action: "open_panel", open_panel: { id, title, lines, footer, view } });
  }

  /**
   * Sends a prompt as if the model had called the tool with these arguments. A host that may not
   * know this gets the prompt alone.
   */
  static toolPrompt(tool: string, args: object, prompt: string): Response {
    return new Response({
      action: "tool_prompt",
      prompt: text(prompt, "a prompt"),
      tool_name: text(tool, "the name of a tool"),
      tool_args: args,
    });
  }

  /** The command failed; the user sees the message. */
  static error(message: string): Response {
    return new Response({ action: "noop", error: text(message, "the message of an error") });
  }
}

/**
 * The answer to a command as JSON, from what its handler returned.
 */
export function encodeResponse(returned: unknown): string {
  if (returned instanceof Response) return encodeJson(returned.fields);
  if (returned === undefined || returned === null) return encodeJson({ action: "noop" });
  if (typeof returned === "string") return encodeJson({ action: "display", display: returned });
  throw new Misreturned(`a command returns a Response, a string or nothing, and this is ${sayType(returned)}`);
}

const PANEL_NAMES = ["id", "title", "lines", "footer", "view"];

/** Refuses what a panel cannot show. */
export function checkPanel(content: Partial<PanelContent>, hasId = false): void {
  if (typeof content !== "object" || content === null) {
    throw new TypeError(`a panel shows { title, lines, footer }, and this is ${sayType(content)}`);
  }
  const { id, lines } = content;
  if (hasId && (typeof id !== "string" || id === "")) throw new TypeError(`the id of a panel is a string, and this is ${sayType(id)}`);
  for (const name of ["title", "footer"] as const) {
    if (content[name] !== undefined) text(content[name], `the ${name} of a panel`);
  }
  const unknown = Object.keys(content).find((name) => !PANEL_NAMES.includes(name));
  if (unknown !== undefined) throw new TypeError(`a panel has no ${unknown}: it has ${PANEL_NAMES.join(", ")}`);
  if (lines === undefined) return;
  if (!Array.isArray(lines)) throw new TypeError(`the lines of a panel are an array of strings, and this is ${sayType(lines)}`);
  const odd = lines.findIndex((line) => typeof line !== "string");
  if (odd >= 0) throw new TypeError(`the lines of a panel are strings, and line ${odd} is ${sayType(lines[odd])}`);
}

function text(value: string, what: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${what} is a string, and this is ${sayType(value)}`);
}
