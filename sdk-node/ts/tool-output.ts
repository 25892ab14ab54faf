/** What a tool of the host's answered. */

import { ToolError } from "./errors.js";

/** A block of the answer, with the names of the wire. */
export type OutputBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime_type: string; readonly data: string };

/** The answer to `ctx.callTool`. */
export class ToolOutput {
  /** Every block. */
  readonly content: readonly OutputBlock[];
  /** Whether the host has cut it. */
  readonly truncated: boolean;

  /** @internal */
  constructor(content: readonly OutputBlock[], truncated: boolean) {
    this.content = content;
    this.truncated = truncated;
  }

  /** The text blocks, joined by line ends. */
  get text(): string {
    return this.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }

  /** The text, read as JSON. Throws a `SyntaxError` when it is none. */
  json(): unknown {
    return JSON.parse(this.text);
  }
}

/** The output, or the error that a failed call is. `frame` is the host's `tool_result`. */
export function outputOf(name: string, frame: string): ToolOutput {
  const { content, truncated, is_error } = JSON.parse(frame) as {
    content?: OutputBlock[];
    truncated?: boolean;
    is_error?: boolean;
  };
  const output = new ToolOutput(content ?? [], truncated ?? false);
  if (is_error) throw ToolError.internal(output.text || `${name} failed and does not say why`);
  return output;
}
