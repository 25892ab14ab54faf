/** What a handler threw where nobody waits for an answer, and the texts for its author. */

import { ToolError } from "./errors.js";
import { explain, print } from "./thrown.js";

/** For the author, on stderr: several lines, as they are. */
export function tellAuthor(text: string): void {
  process.stderr.write(`extline: ${text}\n`);
}

/** Tells the author all of it; the short text is for whoever waits. */
export function failureOf(thrown: unknown, what: string): string {
  if (thrown instanceof ToolError) {
    return thrown.hint === undefined ? thrown.message : `${thrown.message}\nhint: ${thrown.hint}`;
  }
  tellAuthor(`${what} failed:\n${print(thrown)}`);
  return `${what} failed: ${explain(thrown)}`;
}

/** The text for the user, to whom the host says which command it was. */
export function commandFailureOf(thrown: unknown, name: string): string {
  const text = failureOf(thrown, `command ${name}`);
  if (thrown instanceof ToolError || !(thrown instanceof Error)) return text;
  try {
    return String(thrown.message) || text;
  } catch {
    return text;
  }
}
