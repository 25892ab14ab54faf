/** How the agent stands, and what an extension may have it do. */

import type { Context } from "./context.js";
import { sayType } from "./lossy.js";
import type {
  AgentAbortAnswer,
  AgentStateAnswer,
  ModelsListAnswer,
  ModelsModel,
  ToolsActivateAnswer,
  ToolsListAnswer,
  ToolsListedTool,
} from "./services.js";

/**
 * The agent. What a host's agent does not have rejects with a `ToolError` of kind `unsupported`;
 * `ctx.host.serves("agent.state")` tells before.
 */
export class Agent {
  readonly #ctx: Context;

  /** @internal */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** How it stands. */
  async state(): Promise<AgentStateAnswer> {
    return (await this.#ctx.request("agent.state", {})) as AgentStateAnswer;
  }

  /**
   * Ends what the agent does for its user, and every call of a tool that has not ended; the handler's own call is
   * cancelled too. Resolves to how many other calls that were.
   */
  async abort(reason = ""): Promise<number> {
    return ((await this.#ctx.request("agent.abort", { reason })) as AgentAbortAnswer).calls;
  }

  /** All tools; those that are not active too. */
  async tools(): Promise<readonly ToolsListedTool[]> {
    return ((await this.#ctx.request("tools.list", {})) as ToolsListAnswer).tools;
  }

  /** Has the model offered tools again that this extension has deactivated. Resolves to those that were not active. */
  async activate(names: readonly string[]): Promise<readonly string[]> {
    return this.#change("tools.activate", names);
  }

  /**
   * Takes tools out of what the model is offered, and has calls of them refused, until this extension activates them or
   * ends. Resolves to those that were active; the others stay as they are.
   */
  async deactivate(names: readonly string[]): Promise<readonly string[]> {
    return this.#change("tools.deactivate", names);
  }

  /** The models that the agent has. */
  async models(): Promise<readonly ModelsModel[]> {
    return ((await this.#ctx.request("models.list", {})) as ModelsListAnswer).models;
  }

  async #change(method: string, names: readonly string[]): Promise<readonly string[]> {
    if (!Array.isArray(names)) throw new TypeError(`the names of tools are a list, and this is ${sayType(names)}`);
    return ((await this.#ctx.request(method, { names })) as ToolsActivateAnswer).changed;
  }
}
