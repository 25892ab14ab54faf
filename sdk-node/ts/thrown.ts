/** Anything that can be thrown, in words. None of this throws. */

import type { InspectOptions } from "node:util";
import type { Caller } from "./definition.js";
import { ConfigError } from "./config.js";
import { Misreturned } from "./misreturned.js";

/** A text for the model; the author has the stack. */
const LONGEST = 500;

/** In a few words: `TypeError: x is undefined`, a string as it is, `it threw null` for what is neither. */
export function explain(thrown: unknown): string {
  return shorten(words(thrown));
}

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}

/** As Node prints it. Loaded here, as no start should wait for it. */
function inspect(value: unknown, options: InspectOptions = {}): string {
  return process.getBuiltinModule("node:util").inspect(value, options);
}

/** As many causes as a model is told of. */
const MOST_CAUSES = 8;

/**
 * What led to an error, outermost first: the chain of its `cause`, and what an AggregateError is made
 * of. The first only says that `fetch failed`; why stands behind it.
 */
export function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  const seen = new Set<unknown>([error]);
  const follow = (cause: unknown) => {
    if (cause === undefined || cause === null || seen.has(cause) || causes.length >= MOST_CAUSES) return;
    seen.add(cause);
    // One without a message of its own is no more than those it is made of.
    if (!isAggregate(cause) || cause.message !== "") causes.push(shorten(messageOf(cause)));
    behind(cause);
  };
  const behind = (one: unknown) => {
    if (isAggregate(one)) one.errors.forEach(follow);
    if (one instanceof Error) follow(one.cause);
  };
  try {
    behind(error);
  } catch {
    // An error whose members throw when they are read says no more.
  }
  return causes;
}

function isAggregate(value: unknown): value is AggregateError {
  return value instanceof AggregateError && Array.isArray(value.errors);
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return words(cause);
  return String(cause.message || (cause as { code?: unknown }).code || cause.name);
}

function words(thrown: unknown): string {
  try {
    if (thrown instanceof Misreturned) return thrown.message;
    if (thrown instanceof Error) {
      const name = String(thrown.name || "Error");
      const message = String(thrown.message);
      return message === "" ? name : `${name}: ${message}`;
    }
    return typeof thrown === "string" ? thrown : `it threw ${inspect(thrown, { depth: 1, breakLength: Infinity })}`;
  } catch {
    return "it threw what cannot be shown";
  }
}

/** At length, with the stack and the causes: what Node prints of an uncaught error. */
export function print(thrown: unknown): string {
  try {
    return thrown instanceof Error ? inspect(thrown) : words(thrown);
  } catch {
    return "what it threw cannot be shown";
  }
}

/** All of it for the author: the stack, or where a stack says nothing the line that registered the handler. */
export function accountOf(thrown: unknown, what: string, author?: Caller): string {
  // Whoever sets the configuration reads it: its text is whole.
  if (thrown instanceof ConfigError) return thrown.message;
  if (!(thrown instanceof Misreturned)) return `${what} failed:\n${print(thrown)}`;
  const place = author?.place;
  const where = place === undefined ? "" : ` (${place.file}:${place.line})`;
  return `${what}${where} failed: ${thrown.message}`;
}
