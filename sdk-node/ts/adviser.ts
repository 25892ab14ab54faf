/** What a function given as `gated` says of a call: whether it is to be approved, and how. */

import type { Context } from "./context.js";
import type { Caller } from "./definition.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";
import { Misreturned, read } from "./misreturned.js";
import type { Session } from "./native.js";
import type { Registered } from "./offer.js";
import type { PreparedInput } from "./schema/input.js";
import type { ToolApprovalAnswer } from "./services.js";

/** More about a call than whether a user is asked before it. What is not said stands as `approval` declares it. */
export type Advice = ToolApprovalAnswer;

/** What a function given as `gated` returns: whether a user is asked before the call, or more about it. */
export type Advised = boolean | Advice;

type Adviser = (args: never, ctx: Context) => unknown;

/** What answers the host about the calls of one tool, from their arguments. */
export function prepareAdviser(adviser: Adviser, accept: PreparedInput["accept"], author: Caller): Registered<unknown> {
  const ask = adviser as (args: unknown, ctx: Context) => unknown;
  const handler = async (args: unknown, ctx: Context) => {
    const accepted = accept === undefined ? args : await accept(args, () => JSON.stringify(args));
    return await ask(accepted, ctx);
  };
  return { handler, author };
}

/** Answers the host with what such a function returned. */
export function answerApproval(session: Session, serial: number, advised: unknown): void {
  if (typeof advised !== "boolean" && (typeof advised !== "object" || advised === null || Array.isArray(advised))) {
    throw new Misreturned(`gated returned ${sayType(advised)}, and must return true, false or an object`);
  }
  const json = read(() => encodeJson(advised));
  try {
    session.answerApproval(serial, json);
  } catch (thrown) {
    throw new Misreturned(`gated returned ${json}: ${(thrown as Error).message}`);
  }
}
