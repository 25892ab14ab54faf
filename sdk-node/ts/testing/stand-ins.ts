/** What a testing host has for the extension: other tools to call, and methods. */

import { encodeJson, encodeResult, ToolError } from "../inside.js";

/** A tool of the test's: called with the arguments, it returns what a tool returns. `null` never answers. */
export type ToolStandIn = ((args: never) => unknown) | null;
/** A method of the test's: called with the params. A generator yields parts and returns the result. */
export type MethodStandIn = (params: never) => unknown;

export type Tools = Readonly<Record<string, ToolStandIn>>;
export type Methods = Readonly<Record<string, MethodStandIn>>;

type Parts = { next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>> };

/** What a tool answers: a frame without its id. */
export async function callStandIn(name: string, tool: NonNullable<ToolStandIn>, args: unknown): Promise<string> {
  try {
    const { form, text } = encodeResult(await tool(args as never));
    if (form === "text") return frameOf(name, [{ type: "text", text }]);
    if (form === "value") return frameOf(name, [{ type: "text", text }]);
    const { content, is_error } = JSON.parse(text) as { content: unknown[]; is_error?: boolean };
    return frameOf(name, content, is_error);
  } catch (thrown) {
    return failureOf(name, thrown instanceof ToolError ? thrown.message : `${name} failed: ${String(thrown)}`);
  }
}

/** The answer of a tool. */
export function frameOf(name: string, content: unknown, isError = false): string {
  return encodeJson({ type: "tool_result", id: "0", name, content, is_error: isError });
}

/** The answer of a tool that failed. */
export function failureOf(name: string, text: string): string {
  return frameOf(name, [{ type: "text", text }], true);
}

/** What a method returns; its parts are given to `part`. */
export async function serveStandIn(
  method: MethodStandIn,
  params: unknown,
  part: (json: string) => void,
): Promise<string> {
  const returned = await method(params as never);
  if (!isGenerator(returned)) return encodeJson(returned === undefined ? null : returned);
  for (;;) {
    const { done, value } = await returned.next();
    if (done) return encodeJson(value === undefined ? null : value);
    part(encodeJson(value));
  }
}

function isGenerator(value: unknown): value is Parts {
  return /^\[object (Async)?Generator\]$/.test(Object.prototype.toString.call(value));
}
