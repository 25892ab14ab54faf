/** The parts of a method's answer that its handler yields. */

import type { Context } from "./context.js";
import { isIterator, type Updates } from "./run-tool.js";
import { isThenable } from "./thenable.js";

/** What the handler of a method returned, or a promise of that, once all that it yields is sent. */
export function withParts(returned: unknown, ctx: Context): unknown {
  if (isThenable(returned)) return returned.then((later) => (isIterator(later) ? drain(later, ctx) : later));
  return isIterator(returned) ? drain(returned, ctx) : returned;
}

async function drain(parts: Updates, ctx: Context): Promise<unknown> {
  try {
    for (;;) {
      const { done, value } = await parts.next();
      if (done) return value;
      await ctx.sendPart(value);
    }
  } catch (thrown) {
    await parts.return?.(undefined);
    throw thrown;
  }
}
