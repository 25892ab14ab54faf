/** Mistakes in a definition, told at the line of their author. */

import { fileURLToPath } from "node:url";
import { DefinitionError } from "./errors.js";

/** A function of the package that authors call; the line is that of its caller. */
export type Entry = (...args: never[]) => unknown;

/**
 * The error of a definition, with the line that called `entry` in front and on top of its stack.
 * `what` names what is defined: `tool weather`.
 */
export function definitionError(what: string, message: string, entry: Entry): DefinitionError {
  const place = callerOf(entry);
  const where = place === undefined ? "" : `${place.file}:${place.line}: `;
  const error = new DefinitionError(`${where}${what}: ${message}`);
  Error.captureStackTrace(error, entry);
  return error;
}

/** The file and line that called `entry`, where V8 can tell. Source maps are followed when Node does. */
export function callerOf(entry: Entry): { file: string; line: number } | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, entry);
  // "    at Object.<anonymous> (/home/ada/weather.ts:12:5)", or "    at file:///home/ada/weather.ts:12:5".
  for (const frame of holder.stack?.split("\n").slice(1) ?? []) {
    const [, file, line] = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()]+?):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (file !== undefined && !file.startsWith("node:")) {
      return { file: file.startsWith("file:") ? fileURLToPath(file) : file, line: Number(line) };
    }
  }
  return undefined;
}
