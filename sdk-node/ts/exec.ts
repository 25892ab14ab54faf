/** Programs that the host runs for an extension. */

import type { Context } from "./context.js";
import type { ExecRunAnswer, ExecRunPart, ExecStream } from "./services.js";

/** How a program is run. */
export interface ExecOptions {
  /** The folder it runs in, from the project's, which it is where this is not said. */
  cwd?: string;
  /** Variables beside those of the extension; null takes one away. */
  env?: Record<string, string | null>;
  /** What it reads; nothing where it is not said. */
  stdin?: string;
  /** Milliseconds that it has: one whose time is over is ended, and `timedOut`. As long as the call where it is not said. */
  timeoutMs?: number;
  /** Bytes that are kept of each stream, its last ones: 262,144 at most, and where it is not said. */
  maxBytes?: number;
  /** Is called with each text that it writes, while it runs; waited for where it returns a promise. */
  onOutput?: (text: string, stream: ExecStream) => unknown;
}

/** How a program ended, and what it wrote. One that fails rejects nothing: look at `ok` or `code`. */
export interface Ran {
  /** Whether it ended by itself with the code 0. */
  readonly ok: boolean;
  /** What it ended with; undefined where a signal ended it. */
  readonly code: number | undefined;
  /** The signal that ended it, as `SIGKILL`. */
  readonly signal: string | undefined;
  /** Whether it was ended because its time was over. */
  readonly timedOut: boolean;
  /** Whether something of what it wrote was cut off. */
  readonly truncated: boolean;
  /** What it wrote to stdout: the end of it where that is more than is kept. Bytes that are no UTF-8 are U+FFFD. */
  readonly stdout: string;
  /** What it wrote to stderr, likewise. */
  readonly stderr: string;
}

/** @internal */
export async function run(ctx: Context, command: string, args: readonly string[], options: ExecOptions): Promise<Ran> {
  if (!Array.isArray(args)) {
    throw new TypeError(`ctx.exec takes a list of arguments, as ["${String(args)}"]: there is no shell to split a text`);
  }
  const { cwd, env, stdin, timeoutMs, maxBytes, onOutput } = options;
  const params = { command, args, cwd, env, stdin, timeout_ms: timeoutMs, max_bytes: maxBytes };
  const answer = (await (onOutput === undefined
    ? ctx.request("exec.run", params)
    : ctx.request(
        "exec.run",
        { ...params, stream: true },
        { onPart: (part) => onOutput((part as ExecRunPart).text, (part as ExecRunPart).stream) },
      ))) as ExecRunAnswer;
  return {
    ok: answer.code === 0,
    code: answer.code ?? undefined,
    signal: answer.signal ?? undefined,
    timedOut: answer.timed_out ?? false,
    truncated: answer.truncated ?? false,
    stdout: answer.stdout ?? "",
    stderr: answer.stderr ?? "",
  };
}
