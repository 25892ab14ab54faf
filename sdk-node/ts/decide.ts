/** An intercept's way through the interceptors and the guards of this extension. */

import { failureOf } from "./failed.js";
import { fieldsOf, type Fields } from "./decision.js";
import type { Caller } from "./definition.js";
import { encodeJson } from "./json.js";
import { Misreturned } from "./misreturned.js";
import { frameOf, momentOf, ToolUse, type Frame, type Moment } from "./moment.js";
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

/** Whom an intercept may be asked of, and where its answer goes. */
export interface Asking<Handler> {
  readonly frame: string;
  /** Failures let it pass, as the author chose. */
  readonly failsOpen: boolean;
  readonly interceptors: readonly Interceptor<Handler>[];
  readonly guards: readonly Guard<Handler>[];
  /** Calls a handler. */
  run(handler: Handler, moment: Moment): unknown;
  /** Which guard now has the word. */
  guarding(name: string): void;
  answer(members: string): void;
  fail(reason: string): void;
}

/** Where a decision's field stands in what the next handler sees. */
const SEEN_AS: Readonly<Record<string, string>> = {
  modified_args: "toolArgs",
  replace_text: "text",
  system_prompt: "systemPrompt",
};

/** Asks everybody. Whether it has to be waited for. */
export function decide<Handler>(asking: Asking<Handler>): boolean {
  const chain = new InterceptChain(asking);
  const asked = chain.ask();
  const go = (step: () => IteratorResult<Question<Handler>>): boolean => {
    try {
      let result = step();
      while (!result.done) {
        const { handler, moment } = result.value;
        let decision: unknown;
        try {
          decision = asking.run(handler, moment);
        } catch (thrown) {
          result = asked.throw(thrown);
          continue;
        }
        if (isThenable(decision)) {
          decision.then(
            (value) => go(() => asked.next(value)),
            (thrown: unknown) => go(() => asked.throw(thrown)),
          );
          return true;
        }
        result = asked.next(decision);
      }
      chain.answer();
    } catch (thrown) {
      asking.fail(failureOf(thrown, `intercept ${chain.point}`));
    }
    return false;
  };
  return go(() => asked.next(undefined));
}

interface Question<Handler> {
  readonly handler: Handler;
  readonly moment: Moment;
}

/** Yields each handler with what it is to see, and is sent what it decided, or thrown what it threw. */
type Asked<Handler> = Generator<Question<Handler>, void, unknown>;

/**
 * As `InterceptChain` of the crate extline-protocol, and held to the same table of cases: what a handler is
 * shown and decides would have to become JSON and back for each of them there.
 */
class InterceptChain<Handler> {
  readonly point: string;
  readonly #asking: Asking<Handler>;
  #frame: Frame;
  #fields: Fields = {};
  #failure: string | undefined;

  constructor(asking: Asking<Handler>) {
    this.#asking = asking;
    this.#frame = frameOf(asking.frame);
    this.point = this.#frame.event;
  }

  *ask(): Asked<Handler> {
    const phase = this.#frame["phase"];
    if (phase !== "guard") yield* this.#askInterceptors();
    if (this.#failure !== undefined || this.#fields["block"] === true) return;
    if (phase !== "intercept" && this.point === "tool_call") yield* this.#askGuards();
  }

  *#askInterceptors(): Asked<Handler> {
    const original = this.#frame;
    for (const { handler, author } of this.#asking.interceptors) {
      const moment = momentOf(this.#frame);
      let decision: Fields;
      try {
        decision = fieldsOf(yield { handler, moment }, moment, momentOf(this.#frame));
      } catch (thrown) {
        this.#failed(thrown, `interceptor of ${this.point}`, author);
        // Where that lets it pass, no rewrite counts.
        this.#frame = original;
        this.#fields = {};
        return;
      }
      if (decision["block"] === true) {
        this.#fields = decision;
        return;
      }
      this.#fields = { ...this.#fields, ...decision };
      const seen = Object.entries(decision).map(([name, value]) => [SEEN_AS[name] ?? name, value] as const);
      this.#frame = { ...this.#frame, ...Object.fromEntries(seen) };
    }
  }

  *#askGuards(): Asked<Handler> {
    for (const { name, handler, author } of this.#asking.guards) {
      this.#asking.guarding(name);
      const moment = new ToolUse(this.#frame);
      let decision: Fields;
      try {
        decision = fieldsOf(yield { handler, moment }, moment, new ToolUse(this.#frame));
        if (Object.keys(decision).length > 0 && decision["block"] !== true) {
          throw new Misreturned("a guard may only block; an interceptor may rewrite");
        }
      } catch (thrown) {
        this.#failed(thrown, `guard ${name}`, author);
        if (this.#failure !== undefined) return;
        continue;
      }
      if (decision["block"] === true) {
        this.#fields = decision;
        return;
      }
    }
  }

  #failed(thrown: unknown, handler: string, author: Caller): void {
    const failure = failureOf(thrown, handler, author);
    if (!this.#asking.failsOpen) this.#failure = failure;
  }

  /** Once everybody was asked. */
  answer(): void {
    if (this.#failure === undefined) {
      this.#asking.answer(encodeJson(this.#fields));
    } else {
      this.#asking.fail(this.#failure);
    }
  }
}
