/** One call of a tool: its arguments, its handler, its answer. */

import type { Context } from "./context.js";
import { toFailure, ToolError } from "./errors.js";
import { tellAuthor } from "./failed.js";
import type { Session } from "./native.js";
import type { OfferedTool } from "./offer.js";
import { encodeFailure, type Answer, type Update } from "./result.js";
import { isThenable } from "./thenable.js";

/** Runs the handler and answers. Whether that has to be waited for; then `ended` is called. */
export function runTool(session: Session, tool: OfferedTool, ctx: Context, text: string, ended: () => void): boolean {
  try {
    const args: unknown = JSON.parse(text);
    const accepted = tool.accept === undefined ? args : tool.accept(args, () => text);
    const returned = isThenable(accepted)
      ? accepted.then((later) => tool.handler(later, ctx))
      : tool.handler(accepted, ctx);
    // The usual end of a handler without `async`.
    if (typeof returned === "string" || !isPending(returned)) {
      const answer = tool.answer(returned);
      if (!isThenable(answer)) {
        send(session, ctx.serial, answer);
        return false;
      }
      void wait(session, tool, ctx, answer, (later) => later as Answer).finally(ended);
      return true;
    }
    void wait(session, tool, ctx, returned, (value) => tool.answer(value)).finally(ended);
    return true;
  } catch (thrown) {
    fail(session, tool, ctx, thrown);
    return false;
  }
}

async function wait(
  session: Session,
  tool: OfferedTool,
  ctx: Context,
  pending: unknown,
  answerOf: (value: unknown) => Answer | Promise<Answer>,
): Promise<void> {
  try {
    let value = await pending;
    if (isIterator(value)) value = await drain(value, ctx);
    const answer = answerOf(value);
    send(session, ctx.serial, isThenable(answer) ? await answer : answer);
  } catch (thrown) {
    fail(session, tool, ctx, thrown);
  }
}

/** Shows what an iterator yields, and gives back what it returns. */
async function drain(iterator: Updates, ctx: Context): Promise<unknown> {
  const isSync = Symbol.iterator in iterator;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return value;
    if (value !== undefined) ctx.update(value as Update);
    // One without `async` leaves the loop no time by itself.
    if (isSync) await new Promise(setImmediate);
    if (ctx.cancelled) {
      await iterator.return?.(undefined);
      throw ToolError.cancelled();
    }
  }
}

type Updates = {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(value: unknown): unknown;
};

function isPending(value: unknown): boolean {
  return isThenable(value) || isIterator(value);
}

/** A generator, or anything that is iterated with `for await`. */
function isIterator(value: unknown): value is Updates {
  if (typeof value !== "object" || value === null) return false;
  const { next } = value as { next?: unknown };
  if (typeof next !== "function") return false;
  return Symbol.asyncIterator in value || Object.prototype.toString.call(value) === "[object Generator]";
}

function send(session: Session, serial: number, { form, text }: Answer): void {
  if (form === "text") {
    session.answerText(serial, text);
  } else if (form === "value") {
    session.answerValue(serial, text);
  } else {
    session.answer(serial, text);
  }
}

function fail(session: Session, tool: OfferedTool, ctx: Context, thrown: unknown): void {
  send(session, ctx.serial, encodeFailure(toFailure(thrown, `tool ${tool.name}`, tellAuthor, ctx.cancelled)));
}
