/** What a tool answers. */

import { areBlocks, encodeContent, encodeText, isImage, type Block, type Content } from "./content.js";
import { wireOf, type Effect } from "./effect.js";
import { textOf, type Failure } from "./errors.js";
import { Image } from "./image.js";
import { encodeJson } from "./json.js";
import { sayType } from "./lossy.js";

/** What a {@link ToolResult} says beyond its content. */
export interface ToolResultOptions<Value = unknown> {
  /** The result as a JSON value; it also becomes the text when there is no content. */
  structured?: Value | undefined;
  /** More for the user's eyes, not for the model: a JSON value. */
  details?: unknown | undefined;
  /** What the call did to the world. */
  effects?: readonly Effect[] | undefined;
  /** Deferred tools that the host is to offer from now on. */
  activate?: readonly string[] | undefined;
  /** The call failed, and still has something to show. */
  isError?: boolean | undefined;
  /** How far the content may be trusted, in a word that the host knows. */
  trust?: string | undefined;
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

/** A result as MCP and pi write it: an object with `content`, and nothing in it that is unknown here. */
export interface ResultObject<Value = unknown> {
  /** Texts and images for the model. */
  readonly content: readonly Block[];
  /** The result as a JSON value. */
  readonly structuredContent?: Value;
  /** More for the user's eyes. */
  readonly details?: unknown;
  /** The call failed. */
  readonly isError?: boolean;
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
 * | an image, bytes of one, a list of texts and images | these |
 * | a `ToolResult`, an object as MCP and pi return it | all that it says |
 * | anything else | a JSON value: as structured content, and as text |
 */
export function encodeResult(returned: unknown): Answer {
  if (typeof returned === "string") return { form: "text", text: returned };
  if (returned === undefined || returned === null) return members("[]", {});
  if (returned instanceof ToolResult) return whole(returned);
  if (isImage(returned) || areBlocks(returned)) return members(encodeContent(returned), {});
  if (isResultObject(returned)) {
    const { content, structuredContent, ...options } = returned;
    return whole(new ToolResult(content, { ...options, structured: structuredContent }));
  }
  return { form: "value", text: encodeJson(returned) };
}

/** The same for a tool with an `output`: whatever is returned is its value. */
export function encodeValue(value: unknown): Answer {
  return { form: "value", text: encodeJson(value) };
}

function whole({ content, options }: ToolResult): Answer {
  const { structured, details, effects, activate, isError, trust } = options;
  const value = structured === undefined ? undefined : encodeJson(structured, "structured");
  const blocks = content === undefined && value !== undefined ? `[${encodeText(value)}]` : encodeContent(content);
  return members(blocks, {
    is_error: isError ? "true" : undefined,
    activate_tools: activate && encodeJson(activate),
    structured_content: value,
    details: details === undefined ? undefined : encodeJson(details, "details"),
    effects: effects && encodeJson(effects.map(wireOf), "effects"),
    trust: trust === undefined ? undefined : JSON.stringify(trust),
  });
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

const RESULT_NAMES = new Set(["content", "structuredContent", "details", "isError"]);

/** What can only be meant as a result: its content has at least one block that is no mere string. */
function isResultObject(value: unknown): value is ResultObject {
  if (typeof value !== "object" || value === null || value instanceof Image) return false;
  const { content } = value as { content?: unknown };
  if (!areBlocks(content) || content.every((block) => typeof block === "string")) return false;
  return Object.keys(value).every((name) => RESULT_NAMES.has(name));
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
}

/** The members of a `tool_update`, from what was yielded or given to `ctx.update`. */
export function encodeUpdate(update: string | Update): string {
  const given: unknown = update;
  if (typeof update === "string") return encodeJson({ progress: { message: update } });
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof ToolResult) {
    throw new TypeError(
      `an update says how the call stands, by a string or {message, done, total, unit, text, details}, and this is ` +
        `${sayType(given)} (the result is what is returned)`,
    );
  }
  const { message, done, total, unit, text, details } = update;
  // 0 of 0 files is NaN: an update does not fail for it.
  const progress = { done: finite(done), total: finite(total), unit, message };
  const parts = [
    text === undefined ? undefined : `"content":${encodeContent(text)}`,
    details === undefined ? undefined : `"details":${encodeJson(details, "details")}`,
    Object.values(progress).every((one) => one === undefined) ? undefined : `"progress":${encodeJson(progress)}`,
  ];
  return `{${parts.filter((part) => part !== undefined).join(",")}}`;
}

function finite(amount: number | undefined): number | undefined {
  return amount !== undefined && Number.isFinite(amount) ? amount : undefined;
}
