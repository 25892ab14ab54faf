/** One call of a tool: its arguments, its handler, its answer. */

import type { Context } from "./context.js";
import { toFailure, ToolError } from "./errors.js";
import { tellAuthor } from "./failed.js";
import type { Session } from "./native.js";
import type { OfferedTool } from "./offer.js";
import { Unsendable } from "./lossy.js";
import { Misreturned } from "./misreturned.js";
import { encodeFailure, type Answer, type Update } from "./result.js";
import { isThenable } from "./thenable.js";

/** One call that is served. */
interface Run {
  readonly session: Session;
  readonly tool: OfferedTool;
  readonly ctx: Context;
  /** Called once, when a handler that had to be waited for has been answered for. */
  readonly ended: () => void;
}

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
        ctx.over();
        return false;
      }
      follow({ session, tool, ctx, ended }, answer, (run, later) => end(run, later as Answer));
      return true;
    }
    const run = { session, tool, ctx, ended };
    if (isThenable(returned)) follow(run, returned, returnedLater);
    else returnedLater(run, returned);
    return true;
  } catch (thrown) {
    fail(session, tool, ctx, thrown);
    ctx.over();
    return false;
  }
}

/** With one promise and no more: most handlers are `async`, and each of their calls comes here. */
function follow(run: Run, pending: PromiseLike<unknown>, next: (run: Run, value: unknown) => void): void {
  const failed = (thrown: unknown) => {
    fail(run.session, run.tool, run.ctx, thrown);
    run.ctx.over();
    run.ended();
  };
  pending.then((value) => {
    try {
      next(run, value);
    } catch (thrown) {
      failed(thrown);
    }
  }, failed);
}

/** What a handler with `async` returned, or an iterator. */
function returnedLater(run: Run, value: unknown): void {
  if (isIterator(value)) {
    follow(run, drain(value, run.ctx), answered);
  } else {
    answered(run, value);
  }
}

function answered(run: Run, value: unknown): void {
  const answer = run.tool.answer(value);
  if (isThenable(answer)) follow(run, answer, (same, later) => end(same, later as Answer));
  else end(run, answer);
}

function end(run: Run, answer: Answer): void {
  send(run.session, run.ctx.serial, answer);
  run.ctx.over();
  run.ended();
}

const NO_ANSWER = "it yielded what are updates, and returned no answer: end it with `return`, `return \"\"` for an empty one";

/** Shows what an iterator yields, and gives back what it returns. */
async function drain(iterator: Updates, ctx: Context): Promise<unknown> {
  const isSync = Symbol.iterator in iterator;
  let hasShown = false;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done && value === undefined && hasShown) throw new Misreturned(NO_ANSWER);
    if (done) return value;
    if (value !== undefined) {
      await show(iterator, ctx, value as Update);
      hasShown = true;
    }
    // One without `async` leaves the loop no time by itself.
    if (isSync) await new Promise(setImmediate);
    if (ctx.cancelled) {
      await iterator.return?.(undefined);
      throw ToolError.cancelled();
    }
  }
}

/** What is yielded is checked here, where no line of the handler runs. */
async function show(iterator: Updates, ctx: Context, update: Update): Promise<void> {
  try {
    ctx.update(update);
  } catch (thrown) {
    await iterator.return?.(undefined);
    throw thrown instanceof Unsendable ? new Misreturned(`it yielded what is no update: ${thrown.message}`) : thrown;
  }
}

/** What yields before it returns. */
export type Updates = {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(value: unknown): unknown;
};

function isPending(value: unknown): boolean {
  return isThenable(value) || isIterator(value);
}

/** A generator, or anything that is iterated with `for await`. */
export function isIterator(value: unknown): value is Updates {
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
  send(session, ctx.serial, encodeFailure(toFailure(thrown, `tool ${tool.name}`, tellAuthor, ctx.cancelled, tool.author)));
}
