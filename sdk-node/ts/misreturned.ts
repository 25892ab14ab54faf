/** What a handler returned that cannot count. */

import { Unsendable } from "./lossy.js";

/**
 * What a handler returned, or did in place of returning, cannot count. The handler has ended, so a
 * stack would show this package alone; the line that registered the handler is told in its place.
 */
export class Misreturned extends TypeError {}
Misreturned.prototype.name = "TypeError";

/** What reading a handler's outcome threw: where it is about the outcome, as a mistake of the handler's. */
export function misreturned(thrown: unknown): unknown {
  return thrown instanceof Unsendable ? new Misreturned(`it returned what cannot be sent: ${thrown.message}`) : thrown;
}

/** Reads a handler's outcome: what that throws is about what it returned. */
export function read(encode: () => string): string {
  try {
    return encode();
  } catch (thrown) {
    throw misreturned(thrown);
  }
}
