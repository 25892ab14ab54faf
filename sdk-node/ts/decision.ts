/** What a handler decided: what it returned, or what looks like a decision and is none. */

import { sayType } from "./lossy.js";
import { Misreturned } from "./misreturned.js";
import {
  AgentStart,
  changedMember,
  Decision,
  madeOf,
  Message,
  RewritableToolUse,
  stops,
  ToolAnswer,
  ToolUse,
  UserPrompt,
  type Event,
  type Moment,
} from "./moment.js";

/**
 * What comes of a handler that was shown `moment` and returned this. `asItWas` is the same moment, which
 * no handler has seen. What it returned decides. Where it returned nothing, a block or a question that it made counts: one
 * that is forgotten would let through what its author meant to stop. Anything else that looks like a
 * decision is an error.
 */
export function decisionOf(returned: unknown, moment: Moment, asItWas: Moment): Decision | undefined {
  if (returned instanceof Decision) return returned;
  if (returned !== undefined && returned !== null) {
    throw new Misreturned(`it returned ${sayType(returned)}, which decides nothing: ${cureOf(moment, returned)}`);
  }
  const made = madeOf(moment);
  if (stops(made)) return made;
  if (made !== undefined) {
    throw new Misreturned(`it called ${made.method}() and did not return what that gave, which decides nothing: return it`);
  }
  const changed = changedMember(moment, asItWas);
  if (changed === undefined) return undefined;
  throw new Misreturned(`it changed ${nameOf(moment)}.${changed}, which changes nothing: ${cureOf(moment)}`);
}

/** What an author calls a moment. */
function nameOf(moment: Moment): string {
  if (moment instanceof ToolUse) return "call";
  if (moment instanceof Message) return "message";
  if (moment instanceof ToolAnswer) return "answer";
  if (moment instanceof UserPrompt) return "prompt";
  return moment instanceof AgentStart ? "start" : "moment";
}

/** The line that works. */
function cureOf(moment: Moment, returned?: unknown): string {
  const name = nameOf(moment);
  if (moment instanceof AgentStart) return `return ${name}.systemPrompt(prompt)`;
  if (moment instanceof ToolAnswer) return `return ${name}.replace(text), or ${name}.withhold(reason)`;
  const blocks = returned === true || returned === false || typeof returned === "string" || isObjectWith(returned, BLOCKS);
  const block = `return ${name}.block(reason)`;
  if (blocks) return `${block}, or nothing`;
  if (moment instanceof RewritableToolUse) return `return ${name}.rewrite({ ...call.args, NAME: VALUE })`;
  if (moment instanceof ToolUse) return `a guard may only block or ask: ${block}; ext.intercept("tool_call", ...) may rewrite`;
  return moment instanceof Message || moment instanceof UserPrompt ? `return ${name}.replace(text)` : block;
}

/** What other kits have a handler return to block. */
const BLOCKS = ["block", "reason", "cancel", "decision", "deny"];
/** What other kits have a handler of an event return. */
const DECIDES = [...BLOCKS, "systemPrompt", "modifiedArgs", "replaceText", "updatedInput", "isError"];

/** The points at which a handler is asked about what an event of the same name tells. */
const ASKED: Readonly<Record<string, string>> = {
  tool_call: 'ext.guard(name, (call) => call.block(reason)) may block, ext.intercept("tool_call", ...) may rewrite',
  turn_start: 'ext.intercept("turn_start", (moment) => moment.block(reason)) may block',
  assistant_message: 'ext.intercept("assistant_message", (message) => message.replace(text)) may replace',
  tool_result: 'ext.intercept("tool_result", (answer) => answer.replace(text)) may replace',
  user_prompt_submit: 'ext.intercept("user_prompt_submit", (prompt) => prompt.replace(text)) may replace',
};

/** Refuses what the handler of an event returned, where it looks like a decision: nobody reads it. */
export function refuseDecision({ event }: Event, returned: unknown): void {
  if (!(returned instanceof Decision) && !isObjectWith(returned, DECIDES)) return;
  const cure = ASKED[event] ?? "nothing can be decided here";
  throw new Misreturned(`it returned what looks like a decision, and an event is only told: ${cure}`);
}

function isObjectWith(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && names.some((name) => name in value);
}
