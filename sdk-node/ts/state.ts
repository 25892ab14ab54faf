/** What an extension keeps with its host: values by scope, and entries in the history of the conversation. */

import type { Context } from "./context.js";
import { ToolError } from "./errors.js";
import type { Services, SessionInfoAnswer, SessionSessionEntry, StateScope } from "./services.js";

/** What `ctx.history.info()` tells. */
export type HistoryInfo = SessionInfoAnswer;

/** An entry of `ctx.history.branch()`. */
export type HistoryEntry = SessionSessionEntry;

/** Makes values of another version: of those that are given, and of the version that they have. */
export type Migrate = (
  values: Readonly<Record<string, unknown>>,
  version: number,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;

/** More about the values of an extension. */
export interface StateOptions {
  /** The version that the extension knows. */
  version: number;
  /** Makes values of it of those of another version. */
  migrate?: Migrate;
}

/**
 * Values that are there again when the extension is started again. An extension has its own alone. Under a host that
 * keeps nothing each rejects with a `ToolError` of kind `unsupported`; `ctx.host.serves("state.get")` tells before.
 */
export class State {
  readonly #ctx: Context;

  /** @internal */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Those of the conversation: another one has its own, and one that branches off begins with what was there. */
  get session(): Slot {
    return new Slot(this.#ctx, "session");
  }

  /** Those of the project's folder. */
  get project(): Slot {
    return new Slot(this.#ctx, "project");
  }

  /** Those that are the same everywhere. */
  get global(): Slot {
    return new Slot(this.#ctx, "global");
  }
}

type Method = "state.get" | "state.set" | "state.delete" | "state.list";
type Asked<M extends Method> = Omit<Services[M]["params"], "scope">;

/** The values of one scope. */
export class Slot {
  readonly #ctx: Context;
  readonly #scope: StateScope;

  /** @internal */
  constructor(ctx: Context, scope: StateScope) {
    this.#ctx = ctx;
    this.#scope = scope;
  }

  /** The value; undefined where there is none. `Value` is not checked. */
  async get<Value = unknown>(key: string): Promise<Value | undefined> {
    return (await this.#ask("state.get", { key })).value as Value | undefined;
  }

  /** Keeps a value: any JSON, of 64 KiB at most. */
  async set(key: string, value: unknown): Promise<void> {
    await this.#ask("state.set", { key, value });
  }

  /** Takes a value away; whether there was one. */
  async delete(key: string): Promise<boolean> {
    return (await this.#ask("state.delete", { key })).deleted;
  }

  /** The keys in their order; only those that begin with `prefix`. */
  async list(prefix?: string): Promise<string[]> {
    const keys: string[] = [];
    let after: string | undefined;
    do {
      const page = await this.#ask("state.list", { prefix, after });
      keys.push(...page.keys.map((key) => key.key));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return keys;
  }

  /**
   * Sets a value to what `change` makes of the present one, undefined where there is none, and resolves to it. Where
   * somebody else has set it meanwhile, `change` is called again with that: nothing is lost.
   */
  async modify<Value = unknown>(key: string, change: (value: Value | undefined) => Value | Promise<Value>): Promise<Value> {
    for (let tried = 1; ; tried += 1) {
      const { value, revision } = await this.#ask("state.get", { key });
      const changed = await change(value as Value | undefined);
      try {
        await this.#ask("state.set", { key, value: changed, revision });
        return changed;
      } catch (error) {
        if (!(error instanceof ToolError) || !this.#triesAgain(error.kind, tried)) throw error;
      }
    }
  }

  #triesAgain(kind: string, tried: number): boolean {
    return this.#ctx.serving.session.triesAgain(kind, tried);
  }

  async #ask<M extends Method>(method: M, params: Asked<M>): Promise<Services[M]["result"]> {
    return (await this.#ctx.request(method, { scope: this.#scope, ...params })) as Services[M]["result"];
  }
}

/**
 * The history of the conversation, and entries of the extension's own in it. They are kept with the conversation, are
 * not for the model, and follow its branches.
 */
export class History {
  readonly #ctx: Context;

  /** @internal */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Adds an entry behind the newest one and resolves to its id. `data` is any JSON, of 256 KiB at most. */
  async append(type: string, data: unknown = null): Promise<string> {
    const answer = (await this.#ctx.request("session.append", { type, data })) as Services["session.append"]["result"];
    return answer.id;
  }

  /** The extension's entries on this branch, the oldest first; only those of `types`, where it is given. */
  async branch(types?: readonly string[]): Promise<HistoryEntry[]> {
    const entries: HistoryEntry[] = [];
    let after: string | undefined;
    do {
      const asked = { types, after };
      const page = (await this.#ctx.request("session.branch", asked)) as Services["session.branch"]["result"];
      entries.push(...page.entries);
      after = page.next ?? undefined;
    } while (after !== undefined);
    return entries;
  }

  /** Which conversation it is. */
  async info(): Promise<HistoryInfo> {
    return (await this.#ctx.request("session.info", {})) as HistoryInfo;
  }
}
