/** Why a step of a test could not be done. */

import type { StepFailure } from "./native.js";

/**
 * A step of a test could not be done. A tool that answers with an error is no failure: see
 * `answer.error`. The text says what was wrong, and shows the last frames.
 */
export class Failure extends Error {}

/** The extension did not do it within the host's deadline. */
export class TimedOut extends Failure {}

/** The extension ended while something was waited for, or before. */
export class Ended extends Failure {}

/**
 * A handler whose outcome no host waits for has failed: of an event, of a panel, teardown. `cause` is what it threw. A
 * test that expects it catches it: `await assert.rejects(host.event("turn_end"), HandlerFailed)`.
 */
export class HandlerFailed extends Failure {}

/** The answer cannot be used: it breaks the protocol or a limit. */
export class Unusable extends Failure {}

/** A step of a case did not go as it should. */
export class CaseFailed extends Failure {}

/** The test asks for what a host would not do, as telling of an event that the extension does not listen to. */
export class Misuse extends Failure {}

for (const kind of [Failure, TimedOut, Ended, HandlerFailed, Unusable, CaseFailed, Misuse]) kind.prototype.name = kind.name;

const KINDS = { TimedOut, Ended, Unusable, Misuse, HandlerFailed };

/** The failure of a step, as the class of its kind; `thrown` has what a handler threw before, if one did. */
export function failureOf({ kind, text }: StepFailure, thrown: () => { readonly cause: unknown } | undefined): Failure {
  const isOfHandler = kind === "HandlerFailed" || kind === "Ended";
  return new KINDS[kind](text, isOfHandler ? thrown() : undefined);
}

/** Puts the frames under an error of the test's own, as a failed assertion. */
export function addStory(thrown: unknown, story: string): void {
  if (!(thrown instanceof Error) || thrown instanceof Failure || thrown.message.includes(story)) return;
  const before = thrown.message;
  try {
    thrown.message = `${before}\n\n${story}`;
    // The text of the stack was made when the error was.
    if (thrown.stack) thrown.stack = thrown.stack.replace(before, () => thrown.message);
  } catch {
    // It may be frozen.
  }
}
