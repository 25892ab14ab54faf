/**
 * The kinds of failure, of every error on the wire.
 *
 * Written from protocol/src by `make generate`, never by hand.
 */

export const KINDS = [
  "validation",
  "not_found",
  "permission",
  "transient",
  "timeout",
  "cancelled",
  "conflict",
  "stale",
  "budget",
  "unsupported",
  "too_large",
  "protocol",
  "internal",
  "fatal",
] as const;

/** Kinds of failure (`tool.error`). */
export type ErrorKind = (typeof KINDS)[number];
