/** What a handler threw where nobody waits for an answer, and the texts for its author. */

import type { Caller } from "./definition.js";
import { ToolError } from "./errors.js";
import { accountOf, causesOf, explain } from "./thrown.js";

/** For the author, on stderr: several lines, as they are. */
export function tellAuthor(text: string): void {
  process.stderr.write(`extline: ${text}\n`);
}

/** Tells the author all of it; the short text is for whoever waits. */
export function failureOf(thrown: unknown, what: string, author?: Caller): string {
  if (thrown instanceof ToolError) {
    return thrown.hint === undefined ? thrown.message : `${thrown.message}\nhint: ${thrown.hint}`;
  }
  tellAuthor(accountOf(thrown, what, author));
  return withCauses(`${what} failed: ${explain(thrown)}`, thrown);
}

/** The text for the user, to whom the host says which command it was. */
export function commandFailureOf(thrown: unknown, name: string, author?: Caller): string {
  const text = failureOf(thrown, `command ${name}`, author);
  if (thrown instanceof ToolError || !(thrown instanceof Error)) return text;
  try {
    return withCauses(String(thrown.message), thrown) || text;
  } catch {
    return text;
  }
}

function withCauses(text: string, thrown: unknown): string {
  return [text, ...causesOf(thrown).map((cause) => `caused by: ${cause}`)].join("\n");
}
