/** What a handler throws to say why a call failed, and what any thrown thing becomes. */

import type { Caller } from "./definition.js";
import { KINDS, type ErrorKind } from "./error-kinds.js";
import { oneOf, sayType } from "./lossy.js";
import { accountOf, causesOf, explain } from "./thrown.js";

/** What goes with the text of a {@link ToolError}. */
export interface ToolErrorOptions extends ErrorOptions {
  /** JSON pointer of the offending member of the arguments: a missing city is `/city`. */
  field?: string | undefined;
  /** What to do about it. */
  hint?: string | undefined;
  /** What led to it, outermost first. Without it, the messages of `cause` and of its causes. */
  causes?: readonly string[] | undefined;
  /** How long to wait before trying again, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/**
 * A tool call failed: a kind, a text for the model, and what helps to do better.
 *
 * `new ToolError("text")` means that the call is the model's fault, and the text tells it how to
 * correct the call (kind `validation`). The constructors are named after the kinds: `validation`,
 * `notFound`, `permission` and `stale` are the model's fault; `transient`, `timeout` and `budget`
 * the world's.
 *
 * @example
 * ```ts
 * throw ToolError.notFound("no such city", { field: "/city", hint: "try a city that exists" });
 * ```
 */
export class ToolError extends Error {
  /** What kind of failure it is; that of a failure at the host may be one that this package does not know. */
  readonly kind: ErrorKind | (string & {});
  /** JSON pointer of the offending member of the arguments. */
  readonly field: string | undefined;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** What led to it, outermost first. */
  readonly causes: readonly string[];
  /** How long to wait before trying again, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** An error of kind `validation`; {@link ToolError.ofKind} takes any other. */
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.kind = "validation";
    this.field = options.field;
    this.hint = options.hint;
    this.causes = options.causes ?? causesOf(this);
    this.retryAfterMs = options.retryAfterMs;
  }

  /** An error of any kind. */
  static ofKind(kind: ErrorKind, message: string, options?: ToolErrorOptions): ToolError {
    if (!KINDS.includes(kind)) {
      const said = typeof kind === "string" ? JSON.stringify(kind) : sayType(kind);
      throw new TypeError(`there is no kind of failure ${said}: it is ${oneOf(KINDS)}`);
    }
    const error = new this(message, options);
    (error as { kind: string }).kind = kind;
    Error.captureStackTrace(error, ToolError.ofKind);
    return error;
  }

  /** The arguments are wrong; say with `field` which of them. */
  static validation(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("validation", message, options);
  }

  /** What the call names does not exist. */
  static notFound(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("not_found", message, options);
  }

  /** The call is not allowed. */
  static permission(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("permission", message, options);
  }

  /** It may work when tried again; see `retryAfterMs`. */
  static transient(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("transient", message, options);
  }

  /** It took longer than allowed. */
  static timeout(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("timeout", message, options);
  }

  /** The caller gave up. */
  static cancelled(message = "cancelled", options?: ToolErrorOptions): ToolError {
    return this.ofKind("cancelled", message, options);
  }

  /** It contradicts the present state. */
  static conflict(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("conflict", message, options);
  }

  /** What the call refers to has changed since the model looked at it. */
  static stale(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("stale", message, options);
  }

  /** A quota or allowance is used up. */
  static budget(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("budget", message, options);
  }

  /** The tool cannot do that here. */
  static unsupported(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("unsupported", message, options);
  }

  /** Something is over a size limit. */
  static tooLarge(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("too_large", message, options);
  }

  /** A peer broke its protocol. */
  static protocol(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("protocol", message, options);
  }

  /** The tool failed for a reason that the caller can do nothing about. */
  static internal(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("internal", message, options);
  }

  /** It will never work; the extension cannot go on. */
  static fatal(message: string, options?: ToolErrorOptions): ToolError {
    return this.ofKind("fatal", message, options);
  }
}
/** Why a question to the host failed; the kind may be one of tomorrow. */
export function errorOf({ kind, message, hint, causes }: Failure): ToolError {
  const error = ToolError.internal(message, { hint, causes });
  (error as { kind: string }).kind = kind;
  return error;
}

// On the prototype, so that it is no member of each error.
ToolError.prototype.name = "ToolError";

/**
 * An extension that cannot be registered as it is written. The text begins with the file and line
 * of its author, names what is wrong, and ends with what to do.
 */
export class DefinitionError extends TypeError {}
DefinitionError.prototype.name = "DefinitionError";

/** Why a call failed, with the names of the wire (`tool.error`). */
export interface Failure {
  /** What kind of failure it is. */
  kind: string;
  /** What happened, for a person. */
  message: string;
  /** JSON pointer of the offending member of the arguments. */
  field?: string;
  /** What to do about it. */
  hint?: string;
  /** What led to it, outermost first. */
  causes?: string[];
  /** How long to wait before trying again, in milliseconds. */
  retry_after_ms?: number;
}

/**
 * What a handler threw, as an answer. `what` names the handler: `tool weather`. What is no
 * {@link ToolError} is `internal`, and its text is short: its stack is for the author, and goes to
 * `report` (the text for stderr). A `ToolError` says all there is, so nothing is reported.
 *
 * With `isCancelled`, what an `AbortSignal` throws counts as the answer to the cancel.
 */
export function toFailure(
  thrown: unknown,
  what: string,
  report: (text: string) => void,
  isCancelled = false,
  author?: Caller,
): Failure {
  try {
    if (thrown instanceof ToolError) {
      return failureOf(thrown);
    }
    if (isCancelled && isAbort(thrown)) {
      return { kind: "cancelled", message: "cancelled" };
    }
  } catch (another) {
    // An error whose members throw when they are read.
    return toFailure(another, `the error of ${what}`, report);
  }
  report(accountOf(thrown, what, author));
  const failure: Failure = { kind: "internal", message: text(`${what} failed: ${explain(thrown)}`) };
  const causes = causesOf(thrown).map(text);
  return causes.length > 0 ? { ...failure, causes } : failure;
}

function failureOf(error: ToolError): Failure {
  const failure: Failure = { kind: text(error.kind), message: text(error.message) };
  if (error.field !== undefined) failure.field = text(error.field);
  if (error.hint !== undefined) failure.hint = text(error.hint);
  if (error.causes.length > 0) failure.causes = error.causes.map(text);
  const wait = error.retryAfterMs;
  // What is no time is left out: an error must not fail.
  if (wait !== undefined && wait >= 0 && wait < 2 ** 53) failure.retry_after_ms = Math.round(wait);
  return failure;
}

/** Half a surrogate pair, as in the name of a file, becomes U+FFFD. */
function text(value: unknown): string {
  return String(value).toWellFormed();
}

/** `AbortSignal.reason` by default, and what the functions of Node throw for it. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** The text that the model reads: the message, then the hint and the causes, a line each. */
export function textOf(failure: Failure): string {
  const hint = failure.hint === undefined ? "" : `\nhint: ${failure.hint}`;
  const causes = (failure.causes ?? []).map((cause) => `\ncaused by: ${cause}`);
  return `${failure.message}${hint}${causes.join("")}`;
}
