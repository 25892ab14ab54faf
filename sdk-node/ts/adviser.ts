/** What a function given as `gated` says of a call: whether it is to be approved, and how. */

import type { Context } from "./context.js";
import type { Caller } from "./definition.js";
import { ToolError } from "./errors.js";
import { oneOf, sayType } from "./lossy.js";
import { Misreturned } from "./misreturned.js";
import type { Registered } from "./offer.js";
import type { PreparedInput } from "./schema/input.js";
import type { ToolApprovalAnswer } from "./services.js";

/** More about a call than whether a user is asked before it. What is not said stands as `approval` declares it. */
export type Advice = ToolApprovalAnswer;

/** What a function given as `gated` returns: whether a user is asked before the call, or more about it. */
export type Advised = boolean | Advice;

type Adviser = (args: never, ctx: Context) => unknown;

const WORDS: Readonly<Record<string, readonly string[]>> = {
  policy: ["allow", "deny", "prompt"],
  tier: ["read", "write", "exec"],
};
const TEXTS = ["key", "reason"];

/** What answers the host about the calls of one tool, from their arguments. */
export function prepareAdviser(adviser: Adviser, accept: PreparedInput["accept"], author: Caller): Registered<unknown> {
  const ask = adviser as (args: unknown, ctx: Context) => unknown;
  const handler = async (args: unknown, ctx: Context) => {
    const accepted = accept === undefined ? args : await accept(args, () => JSON.stringify(args));
    return answerOf(await ask(accepted, ctx));
  };
  return { handler, author };
}

/** What answers a question about a call, as the handler of a method does. */
export function adviserOf(advisers: ReadonlyMap<string, Registered<unknown>>, params: unknown): Partial<Registered<unknown>> {
  const { tool, args } = (params ?? {}) as { tool?: unknown; args?: unknown };
  if (typeof tool !== "string" || typeof args !== "object" || args === null || Array.isArray(args)) {
    return refusing(() => ToolError.validation("asked is about a tool and its args, an object"));
  }
  const adviser = advisers.get(tool);
  if (adviser === undefined) return refusing(() => ToolError.notFound(`no tool ${JSON.stringify(tool)} says more of its calls`));
  return { handler: (_, ctx) => adviser.handler(args, ctx), author: adviser.author };
}

function refusing(error: () => ToolError): Partial<Registered<unknown>> {
  return {
    handler: () => {
      throw error();
    },
  };
}

function answerOf(advised: unknown): Advice {
  if (typeof advised === "boolean") return { policy: advised ? "prompt" : "allow" };
  if (typeof advised !== "object" || advised === null || Array.isArray(advised)) {
    throw new Misreturned(`gated returned ${sayType(advised)}, and must return true, false or an object`);
  }
  const said = Object.entries(advised).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of said) {
    const must = wanted(name, value);
    if (must !== undefined) throw new Misreturned(`gated returned an object whose ${name} is ${JSON.stringify(value)}, and must be ${must}`);
  }
  return Object.fromEntries(said) as Advice;
}

/** What a member must be that is something else. */
function wanted(name: string, value: unknown): string | undefined {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (words !== undefined) return words.includes(value as string) ? undefined : oneOf(words);
  if (TEXTS.includes(name)) return typeof value === "string" ? undefined : "a string";
  if (name !== "details") return `nothing: there are ${[...Object.keys(WORDS), ...TEXTS, "details"].join(", ")}`;
  const isList = Array.isArray(value) && value.every((line) => typeof line === "string");
  return isList ? undefined : "an array of strings";
}
