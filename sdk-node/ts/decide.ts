/**
 * An intercept's way through the interceptors and the guards of this extension. The native half says whose
 * turn it is, and takes what each decided.
 */

import { decisionOf } from "./decision.js";
import type { Caller } from "./definition.js";
import { failureOf } from "./failed.js";
import { encodeJson } from "./json.js";
import { Misreturned, misreturned } from "./misreturned.js";
import { frameOf, GuardedToolUse, momentOf, type Decision, type Moment } from "./moment.js";
import type { Session, Turn } from "./native.js";
import { isThenable } from "./thenable.js";

/** An interceptor and where it was registered. */
export interface Interceptor<Handler> {
  readonly handler: Handler;
  readonly author: Caller;
}

/** A guard, by its name. */
export interface Guard<Handler> extends Interceptor<Handler> {
  readonly name: string;
}

/** Whom an intercept may be asked of. */
export interface Asking<Handler> {
  readonly session: Session;
  readonly serial: number;
  readonly interceptors: readonly Interceptor<Handler>[];
  readonly guards: readonly Guard<Handler>[];
  /** Calls a handler. */
  run(handler: Handler, moment: Moment): unknown;
  /** All is decided, and the host has its answer. */
  over(): void;
}

/** Asks one handler after the other, from the one whose turn it is by that frame. Whether it has to be waited for. */
export function decide<Handler>(asking: Asking<Handler>, first: number, text: string): boolean {
  const { session, serial, interceptors, guards } = asking;
  let turn: Turn = first;
  let frame = frameOf(text);
  /** What a handler decided or how it failed has changed what the next one is shown. */
  const goOn = (next: Turn) => {
    turn = next;
    if (turn !== null) frame = frameOf(session.shown(serial));
  };
  const next = (): boolean => {
    while (turn !== null) {
      const guard = turn < 0 ? guards[~turn] : undefined;
      const { handler, author } = guard ?? interceptors[turn]!;
      const moment = guard ? new GuardedToolUse(frame) : momentOf(frame);
      const failed = (thrown: unknown) => {
        const what = guard ? `guard ${guard.name}` : `interceptor of ${frame.event}`;
        goOn(session.deciderFailed(serial, failureOf(thrown, what, author).toWellFormed()));
      };
      const decided = (returned: unknown) => {
        try {
          const decision = decisionOf(returned, moment, guard ? new GuardedToolUse(frame) : momentOf(frame));
          if (decision === undefined) turn = session.decided(serial);
          else goOn(tell(session, serial, decision));
        } catch (thrown) {
          failed(thrown);
        }
      };
      try {
        const returned = asking.run(handler, moment);
        if (isThenable(returned)) {
          returned.then((value) => (decided(value), next()), (thrown: unknown) => (failed(thrown), next()));
          return true;
        }
        decided(returned);
      } catch (thrown) {
        failed(thrown);
      }
    }
    asking.over();
    return false;
  };
  return next();
}

/** JSON crosses only where a handler rewrites. */
function tell(session: Session, serial: number, { method, value }: Decision): Turn {
  try {
    const text = typeof value === "string" ? value.toWellFormed() : encodeJson(value);
    return session.decided(serial, method, text);
  } catch (thrown) {
    const mistake = misreturned(thrown);
    throw mistake === thrown ? new Misreturned((thrown as Error).message) : mistake;
  }
}
