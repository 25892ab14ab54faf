/** What a testing host has for the extension: other tools to call, and methods. */

import { encodeJson, encodeResult, ToolError } from "../inside.js";
import type { Asked, HostSteps } from "./native.js";

/** A tool of the test's: called with the arguments, it returns what a tool returns. `null` never answers. */
export type ToolStandIn = ((args: never) => unknown) | null;
/** A method of the test's: called with the params. A generator yields parts and returns the result. */
export type MethodStandIn = (params: never) => unknown;

type Parts = { next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>> };

/** Functions of the test's, by name. */
export class StandIns {
  readonly #tools: Readonly<Record<string, ToolStandIn>>;
  readonly #methods: Readonly<Record<string, MethodStandIn>>;

  constructor(tools: Readonly<Record<string, ToolStandIn>> = {}, methods: Readonly<Record<string, MethodStandIn>> = {}) {
    this.#tools = tools;
    this.#methods = methods;
  }

  /** Answers what the extension asks. */
  async answer(asked: Asked, steps: HostSteps): Promise<void> {
    const { serial, isMethod, name, json } = asked;
    try {
      if (isMethod) await this.#serve(asked, steps);
      else await this.#call(serial, this.#tools[name], JSON.parse(json), steps);
    } catch (thrown) {
      const { kind, message } =
        thrown instanceof ToolError ? thrown : { kind: "internal", message: `${name} failed: ${String(thrown)}` };
      if (isMethod) steps.refuseRequest(serial, kind, message);
      else steps.failCall(serial, message);
    }
  }

  async #call(serial: number, tool: ToolStandIn | undefined, args: unknown, steps: HostSteps): Promise<void> {
    const { form, text } = encodeResult(await tool?.(args as never));
    const said = form === "text" || form === "value" ? { content: [{ type: "text", text }] } : JSON.parse(text);
    const { content, is_error: isError = false } = said as { content: unknown[]; is_error?: boolean };
    steps.answerCall(serial, encodeJson(content), isError);
  }

  async #serve({ serial, name, json }: Asked, steps: HostSteps): Promise<void> {
    const returned = await this.#methods[name]?.(JSON.parse(json) as never);
    let result: unknown = returned;
    if (isGenerator(returned)) {
      let next = await returned.next();
      for (; !next.done; next = await returned.next()) steps.sendPart(serial, encodeJson(next.value));
      result = next.value;
    }
    steps.answerRequest(serial, encodeJson(result === undefined ? null : result));
  }
}

function isGenerator(value: unknown): value is Parts {
  return /^\[object (Async)?Generator\]$/.test(Object.prototype.toString.call(value));
}
