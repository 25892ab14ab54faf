/** Actions that a handler proposes, and that are done only when the model, or a person, says so. */

import type { Context } from "./context.js";
import { Caller } from "./definition.js";
import { ToolError } from "./errors.js";
import { sayType } from "./lossy.js";
import type { Registered } from "./offer.js";
import { encodeResult, type Answer } from "./result.js";
import type { PendingApply, PendingPush, PendingPushAnswer } from "./services.js";

/** What is called when an action is resolved: with why, and with a context. It may be `async`. */
export type Resolver = (reason: string, ctx: Context) => unknown;

/** An action that is proposed. */
export interface Proposal {
  /** What would be done, in a line. */
  label: string;
  /** Does it, and returns what a tool may return. Where it fails, the action stays pending and may be applied again. */
  apply: Resolver;
  /** Is called where nobody wants it, and where the conversation has become another one. */
  reject?: Resolver | undefined;
  /** What would be done, in more than a line. */
  summary?: string | undefined;
  /** The same as any JSON value. */
  details?: unknown;
}

/** Proposes actions. */
export class Pending {
  readonly #ctx: Context;
  readonly #actions: Actions;

  /** @internal */
  constructor(ctx: Context, actions: Actions) {
    this.#ctx = ctx;
    this.#actions = actions;
  }

  /**
   * Proposes an action, and resolves to its id; nothing is done yet. Rejects with a `ToolError` of kind `unsupported`
   * where the host takes no proposals, which `ctx.host.serves("pending.push")` tells before.
   *
   * @example
   * ```ts
   * await ctx.pending.push({ label: "12 edits", apply: () => write(edits), reject: () => forget(edits) });
   * return preview(edits);
   * ```
   */
  async push(proposal: Proposal): Promise<string> {
    const { label, apply, reject, summary, details } = proposal;
    for (const [name, handler] of [["apply", apply], ["reject", reject ?? apply]] as const) {
      if (typeof handler !== "function") {
        throw new TypeError(`${name} of ctx.pending.push is a function, and this is ${sayType(handler)}`);
      }
    }
    // It may be resolved before the answer is here.
    const handle = this.#actions.add(proposal);
    const params = { handle, label, summary, details } satisfies PendingPush;
    try {
      return ((await this.#ctx.request("pending.push", params)) as PendingPushAnswer).action_id;
    } catch (error) {
      this.#actions.take(handle);
      throw error;
    }
  }
}

/** What an extension has proposed, by handle. */
export class Actions {
  readonly #proposals = new Map<string, Proposal>();
  readonly #author = new Caller(Pending.prototype.push);
  #count = 0;

  add(proposal: Proposal): string {
    const handle = String(++this.#count);
    this.#proposals.set(handle, proposal);
    return handle;
  }

  take(handle: string): Proposal | undefined {
    const proposal = this.#proposals.get(handle);
    this.#proposals.delete(handle);
    return proposal;
  }

  /** What answers when an action is resolved. */
  resolver(method: string): Registered<unknown> | undefined {
    if (method === "pending.apply") return { handler: (asked, ctx) => this.#apply(asked as PendingApply, ctx), author: this.#author };
    if (method === "pending.reject") return { handler: (asked, ctx) => this.#reject(asked as PendingApply, ctx), author: this.#author };
    return undefined;
  }

  async #apply({ handle, reason }: PendingApply, ctx: Context): Promise<unknown> {
    const proposal = this.#proposals.get(handle);
    if (proposal === undefined) throw ToolError.ofKind("not_found", "the extension has no such action");
    const result = membersOf(encodeResult(await proposal.apply(reason, ctx)));
    if (result.is_error !== true) this.#proposals.delete(handle);
    return result;
  }

  async #reject({ handle, reason }: PendingApply, ctx: Context): Promise<unknown> {
    return membersOf(encodeResult(await this.take(handle)?.reject?.(reason, ctx)));
  }
}

const NAMES = ["content", "structured_content", "details", "is_error"];

/** The members of a result that such an answer may have. */
function membersOf({ form, text }: Answer): Record<string, unknown> {
  const content = (text: string) => [{ type: "text", text }];
  if (form === "text") return { content: content(text) };
  const value = JSON.parse(text) as Record<string, unknown>;
  if (form === "value") return { content: content(text), structured_content: value };
  return Object.fromEntries(NAMES.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
}
