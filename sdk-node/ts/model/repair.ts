/** JSON as models write it. */

import { native, type Refusal } from "./native.js";
import { checkText } from "./text.js";

/** One thing that was changed in a text. */
export interface Fix {
  /** What was changed: `trailing_comma`, `quotes`, `cut_string` and so on. */
  readonly kind: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, in characters from 1. */
  readonly column: number;
  /** What stood there, shortened to 40 characters; empty where something was missing. */
  readonly found: string;
  /** All of it as a sentence. */
  readonly text: string;
}

/** A value that was read, and what had to be changed for it. */
export interface Repaired {
  /** The value, by `JSON.parse`: of two members of one name it has the last, and an integer beyond 2^53 is rounded. */
  readonly value: unknown;
  /** The value as JSON text, with every digit. */
  readonly json: string;
  /** What was changed, in the order of the text; empty where it was valid JSON. */
  readonly fixes: readonly Fix[];
  /** How many fixes there were beyond the 1,000 that are listed. */
  readonly unlisted: number;
  /** Whether the text ended before the value did, so that there may have been more of it. */
  readonly truncated: boolean;
}

/** A text cannot be repaired. Its message is a sentence with line and column that can go back to the model. */
export class RepairError extends Error {
  /**
   * What is wrong: `blank`, `no_json`, `several_values`, `goes_on`, `too_deep`, `no_key`, `no_colon` or
   * `no_value`.
   */
  readonly kind: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, in characters from 1. */
  readonly column: number;

  /** @internal */
  constructor({ text, kind, line, column }: Refusal) {
    super(text);
    this.kind = kind;
    this.line = line;
    this.column = column;
  }
}
RepairError.prototype.name = "RepairError";

/**
 * Reads one JSON value from what a model wrote, and mends it where it is no valid JSON.
 *
 * Text around the value is left out; a value inside of another is never taken for the whole. What several
 * values could be meant by throws a {@link RepairError}, as does a text without one. The time is linear in
 * the length of the text.
 */
export function repair(text: string): Repaired {
  checkText("text", text);
  const { repaired, refusal } = native.repair(text);
  if (refusal !== undefined) throw new RepairError(refusal);
  return { value: JSON.parse(repaired!.json), ...repaired! };
}
