/** Mistakes in a definition, told at the line of their author. */

import { DefinitionError } from "./errors.js";

/** A function of the package that authors call; the line is that of its caller. */
export type Entry = (...args: never[]) => unknown;

/**
 * The error of a definition, with the line that called `entry` in front and on top of its stack.
 * `what` names what is defined: `tool weather`.
 */
export function definitionError(what: string, message: string, entry: Entry): DefinitionError {
  const { place } = new Caller(entry);
  const where = place === undefined ? "" : `${place.file}:${place.line}: `;
  const error = new DefinitionError(`${where}${what}: ${message}`);
  Error.captureStackTrace(error, entry);
  return error;
}

/** Who called `entry`. Which line that is, V8 finds out when somebody asks. */
export class Caller {
  readonly #holder: { stack?: string } = {};

  constructor(entry: Entry) {
    Error.captureStackTrace(this.#holder, entry);
  }

  /** The file and line, where V8 can tell. Source maps are followed when Node does. */
  get place(): { file: string; line: number } | undefined {
    // "    at Object.<anonymous> (/home/ada/weather.ts:12:5)", or "    at file:///home/ada/weather.ts:12:5".
    for (const frame of this.#holder.stack?.split("\n").slice(1) ?? []) {
      const [, file, line] = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()]+?):(\d+):\d+\)?$/.exec(frame) ?? [];
      if (file === undefined || file.startsWith("node:")) continue;
      const { fileURLToPath } = process.getBuiltinModule("node:url");
      return { file: file.startsWith("file:") ? fileURLToPath(file) : file, line: Number(line) };
    }
    return undefined;
  }
}
