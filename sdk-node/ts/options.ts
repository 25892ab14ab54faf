/** What is said beside a handler that is registered. */

import { definitionError, type Entry } from "./definition.js";

/** What an event, an intercept, a guard or a command says beyond its handler. */
export interface RequiredOption {
  /** The extension ends where a host does not take it. */
  required?: boolean;
}

/** What an event about a tool says beyond its handler. */
export interface ToolEventOptions extends RequiredOption {
  /** The handler is told of these tools alone; `*` in a name stands for any text. A host that can sends no others. */
  tools?: readonly string[];
}

/** What a command says beyond its handler. */
export interface CommandOptions extends RequiredOption {
  /** How its arguments are written, for a person. */
  usage?: string;
}

/** What an interceptor or a guard says beyond its handler. */
export interface InterceptOptions extends RequiredOption {
  /**
   * What a failure of the handler means. Without it a failure blocks, where the point can be blocked. An
   * extension has one answer for each point: the last `onFailure` given there counts for all its handlers. Guards
   * belong to the point `tool_call`.
   */
  onFailure?: "allow" | "block";
}

/** What a name says that this package does not know. */
export interface UnlistedOption {
  /** The name is meant as it is: a host of your own has it, or a later one. */
  unlisted: true;
}

/** The tools that an event is narrowed to; what is no list of names is refused. */
export function toolsOf(event: string, { tools }: ToolEventOptions, entry: Entry): readonly string[] | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.some((tool) => typeof tool !== "string")) {
    throw definitionError(`event ${event}`, 'its tools are names in an array, as ["bash", "mcp_*"]', entry);
  }
  return [...(tools as readonly string[])];
}

/** Refuses what is no mode of a failure. */
export function checkMode(what: string, { onFailure }: InterceptOptions, entry: Entry): void {
  if (onFailure !== undefined && onFailure !== "allow" && onFailure !== "block") {
    throw definitionError(what, 'its onFailure is "allow" or "block"', entry);
  }
}
