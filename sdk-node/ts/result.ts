/** What a tool answers. */

import { areBlocks, encodeContent, encodeText, isImage, looksLikeBlock, type Block, type Content } from "./content.js";
import { wireOf, type Effect } from "./effect.js";
import { textOf, type Failure } from "./errors.js";
import { Image } from "./image.js";
import { encodeJson } from "./json.js";
import { sayType, Unsendable } from "./lossy.js";
import { Decision } from "./moment.js";
import { Response } from "./response.js";
import type { View } from "./services.js";

/** What a {@link ToolResult} says beyond its content. */
export interface ToolResultOptions<Value = unknown> {
  /** The result as a JSON value; it also becomes the text when there is no content. */
  structured?: Value | undefined;
  /** More for the user's eyes, not for the model: a JSON value. */
  details?: unknown | undefined;
  /** How a person is shown the result, in place of its text: `view.table(...)` and its like. */
  view?: View | undefined;
  /** What the call did to the world. */
  effects?: readonly Effect[] | undefined;
  /** Deferred tools that the host is to offer from now on. */
  activate?: readonly string[] | undefined;
  /** The call failed, and still has something to show. */
  isError?: boolean | undefined;
  /** How far the content may be trusted: `untrusted` for what others wrote, such as a web page. */
  trust?: "trusted" | "untrusted" | undefined;
}

/**
 * A result that says more than a plain value can.
 *
 * @example
 * ```ts
 * return new ToolResult("wrote notes.md", { effects: [{ kind: "file", op: "create", path: "notes.md" }] });
 * ```
 */
export class ToolResult<Value = unknown> {
  /** Texts and images for the model. */
  readonly content: Content | undefined;
  /** What it says beyond them. */
  readonly options: Readonly<ToolResultOptions<Value>>;

  /** `undefined` as content leaves it to `structured`. */
  constructor(content?: Content, options: ToolResultOptions<Value> = {}) {
    this.content = content;
    this.options = options;
  }
}

/**
 * A result as MCP and pi write it. Its `content` has a block that is no mere string. Another member than these is
 * an error.
 */
export interface ResultObject<Value = unknown> {
  /** Texts and images for the model. */
  readonly content: readonly Block[];
  /** The result as a JSON value. */
  readonly structuredContent?: Value;
  /** More for the user's eyes. */
  readonly details?: unknown;
  /** The call failed. */
  readonly isError?: boolean;
  /** For the client, as MCP has it. It becomes `details`. */
  readonly _meta?: unknown;
}

/**
 * An answer on its way to the native half: the text of a text block, the JSON of a value, or the
 * members of a `tool_result` as a JSON object, in the order of the protocol.
 */
export interface Answer {
  readonly form: "text" | "value" | "members";
  readonly text: string;
}

/**
 * The answer for what a handler returned.
 *
 * | returned | answer |
 * |---|---|
 * | a string | one text |
 * | undefined, null | nothing |
 * | an image, bytes of one, a list with an image or a block of MCP in it | these |
 * | a `ToolResult`, an object as MCP and pi return it | all that it says |
 * | anything else | a JSON value: as structured content, and as text |
 */
export function encodeResult(returned: unknown): Answer {
  if (typeof returned === "string") return { form: "text", text: returned };
  if (returned === undefined || returned === null) return members("[]", {});
  if (returned instanceof ToolResult) return whole(returned);
  if (isImage(returned) || areBlocks(returned)) return members(encodeContent(returned), {});
  if (isResultObject(returned)) return whole(resultOf(returned));
  if (returned instanceof Response) {
    throw new Unsendable("a Response is what a command answers: return a string, a JSON value or a ToolResult");
  }
  if (returned instanceof Decision) {
    throw new Unsendable("a decision is what a guard or an interceptor returns: return a string, a JSON value or a ToolResult");
  }
  return { form: "value", text: encodeJson(returned) };
}

/** The same for a tool with an `output`: whatever is returned is its value. */
export function encodeValue(value: unknown): Answer {
  return { form: "value", text: encodeJson(value) };
}

function whole({ content, options }: ToolResult): Answer {
  const { structured, details, view, effects, activate, isError, trust } = options;
  if (activate !== undefined && !isListOf(activate, "string")) throw odd("activate", "a list of names", activate);
  if (effects !== undefined && !isListOf(effects, "object")) throw odd("effects", "a list of effects", effects);
  if (trust !== undefined && trust !== "trusted" && trust !== "untrusted") {
    const said = typeof trust === "string" ? JSON.stringify(trust) : sayType(trust);
    throw new Unsendable(`trust of a ToolResult is "trusted" or "untrusted", and this is ${said}`);
  }
  const value = structured === undefined ? undefined : encodeJson(structured, "structured");
  const blocks = content === undefined && value !== undefined ? `[${encodeText(value)}]` : encodeContent(content);
  return members(blocks, {
    is_error: isError ? "true" : undefined,
    activate_tools: activate && encodeJson(activate),
    structured_content: value,
    details: details === undefined ? undefined : encodeJson(details, "details"),
    view: view === undefined ? undefined : encodeJson(view, "view"),
    effects: effects && encodeJson(effects.map(wireOf), "effects"),
    trust: trust === undefined ? undefined : JSON.stringify(trust),
  });
}

function isListOf(value: unknown, type: string): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type && one !== null);
}

function odd(option: string, must: string, value: unknown): Unsendable {
  return new Unsendable(`${option} of a ToolResult is ${must}, and this is ${sayType(value)}`);
}

/** The answer to a call that failed; its text has all that a host shows. */
export function encodeFailure(failure: Failure): Answer {
  const content = `[${encodeText(textOf(failure))}]`;
  return { form: "members", text: `{"content":${content},"is_error":true,"error":${JSON.stringify(failure)}}` };
}

/** In the order of the protocol; what is undefined is left out. */
function members(content: string, others: Readonly<Record<string, string | undefined>>): Answer {
  const texts = Object.entries(others).filter(([, json]) => json !== undefined);
  return { form: "members", text: `{"content":${content}${texts.map(([name, json]) => `,"${name}":${json}`).join("")}}` };
}

/** What a result of MCP and pi may say. */
const RESULT_NAMES = ["content", "structuredContent", "details", "isError", "_meta"];

/**
 * What can only be meant as a result of MCP or pi: it has `isError: true`, or `content` that has blocks, or that has
 * none beside another member of a result.
 */
export function isResultObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || value instanceof Image) return false;
  const { content, isError } = value as { content?: unknown; isError?: unknown };
  if (isError === true) return true;
  if (!Array.isArray(content)) return false;
  if (content.length === 0) return RESULT_NAMES.slice(1).some((name) => name in value);
  return content.every(looksLikeBlock) || areBlocks(content);
}

/** All that it says, or what is wrong with it: to drop a member would drop what its author meant. */
function resultOf(value: Readonly<Record<string, unknown>>): ToolResult {
  const { content, structuredContent, details, isError, _meta } = value;
  const unknown = Object.keys(value).find((name) => !RESULT_NAMES.includes(name) && value[name] !== undefined);
  if (unknown !== undefined) {
    const advice = unknown === "is_error" ? "the member isError" : "structuredContent, details, or a ToolResult";
    throw new Unsendable(`a result has content, structuredContent, details, isError and _meta, and no ${unknown}: use ${advice}`);
  }
  if (content === undefined ? structuredContent === undefined : !Array.isArray(content)) {
    throw new Unsendable(`the content of a result is a list of blocks, and this is ${sayType(content)}; for a failure throw new ToolError(text)`);
  }
  const meta = isEmpty(_meta) ? undefined : { _meta };
  if (meta !== undefined && details !== undefined) {
    throw new Unsendable("a result has details or _meta, and not both: say all in details");
  }
  const structured = structuredContent;
  return new ToolResult(content as Content | undefined, { structured, details: details ?? meta, isError: isError === true });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** How a call stands, for an iterator to yield; a string is its `message`. */
export interface Update {
  /** What is going on. */
  message?: string | undefined;
  /** How much is done. */
  done?: number | undefined;
  /** How much there is to do. */
  total?: number | undefined;
  /** What is counted, as `files`. */
  unit?: string | undefined;
  /** The result so far. */
  text?: Content | undefined;
  /** More for the user's eyes: a JSON value. */
  details?: unknown;
  /** How a person is shown the result so far. */
  view?: View | undefined;
}

/** The members of a `tool_update`, from what was yielded or given to `ctx.update`. */
export function encodeUpdate(update: string | Update): string {
  const given: unknown = update;
  if (typeof update === "string") return encodeJson({ progress: { message: update } });
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof ToolResult) {
    throw new Unsendable(
      `an update says how the call stands, by a string or {message, done, total, unit, text, details, view}, and this is ` +
        `${sayType(given)} (the result is what is returned)`,
    );
  }
  const { message, done, total, unit, text, details, view } = update;
  // 0 of 0 files is NaN: an update does not fail for it.
  const progress = { done: finite(done), total: finite(total), unit, message };
  const parts = [
    text === undefined ? undefined : `"content":${encodeContent(text)}`,
    details === undefined ? undefined : `"details":${encodeJson(details, "details")}`,
    view === undefined ? undefined : `"view":${encodeJson(view, "view")}`,
    Object.values(progress).every((one) => one === undefined) ? undefined : `"progress":${encodeJson(progress)}`,
  ];
  return `{${parts.filter((part) => part !== undefined).join(",")}}`;
}

function finite(amount: number | undefined): number | undefined {
  return amount !== undefined && Number.isFinite(amount) ? amount : undefined;
}
