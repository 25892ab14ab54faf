/** What a tool of the host's answered. */

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

/** The output of the host's `tool_result`. */
export function outputOf(frame: string): ToolOutput {
  const { content, truncated } = JSON.parse(frame) as { content?: OutputBlock[]; truncated?: boolean };
  return new ToolOutput(content ?? [], truncated ?? false);
}
