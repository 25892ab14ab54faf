/** What is given as text. */

import { sayType } from "../lossy.js";

/** Throws a `TypeError` where what was given is no string. */
export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw new TypeError(`${name} is ${sayType(value)}: give the text that the model wrote`);
}
