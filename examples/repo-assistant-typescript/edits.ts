// Edits that are shown before they are made: a text in place of another, in the files that git knows.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError, type Context } from "extline";
import { filesOf } from "./repository.ts";

export interface Edit {
  path: string;
  before: string;
  after: string;
}

/** The edits that put `to` in the place of `from`, both of one line. */
export async function replacing(ctx: Context, from: string, to: string): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const path of await filesOf(ctx)) {
    const before = textOf(ctx, path);
    if (before?.includes(from)) edits.push({ path, before, after: before.replaceAll(from, () => to) });
  }
  return edits;
}

/** The change as `diff -U0` writes it: a line stays a line, so each stands where it stood. */
export function diffOf({ path, before, after }: Edit): string {
  const changed = after.split("\n");
  const hunks = before.split("\n").flatMap((line, at) => {
    const now = changed[at] ?? "";
    return line === now ? [] : [`@@ -${at + 1} +${at + 1} @@`, `-${line}`, `+${now}`];
  });
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join("\n");
}

/** Makes them all, or none where a file is no longer as it was when they were shown. */
export function write(ctx: Context, edits: readonly Edit[]): void {
  const changed = edits.find(({ path, before }) => textOf(ctx, path) !== before);
  if (changed !== undefined) {
    throw ToolError.conflict(`${changed.path} has changed since`, { hint: "discard this, and propose it again" });
  }
  for (const { path, after } of edits) writeFileSync(join(ctx.host.cwd, path), after);
}

/** `undefined` for what is no text, or not there any more. */
function textOf(ctx: Context, path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(join(ctx.host.cwd, path)));
  } catch {
    return undefined;
  }
}
