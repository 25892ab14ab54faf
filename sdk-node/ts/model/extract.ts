/** Tool calls in the text of a model. */

import { encodeJson } from "../json.js";
import { sayType } from "../lossy.js";
import { native, type CallParts, type Extracting, type ExtractedParts, type PartParts, type Tool } from "./native.js";
import type { Fix } from "./repair.js";
import { checkText } from "./text.js";

/** A tool that the model was offered. */
export interface OfferedTool {
  /** Its name, as the model was told it. */
  readonly name: string;
  /** The JSON Schema of its arguments, which says where families write them without types whether `12` is a number or a text. */
  readonly schema?: object;
}

/** A call that stands in a text. */
export interface Call {
  /** The tool; one of those that were offered. */
  readonly name: string;
  /** Its arguments, by `JSON.parse`. */
  readonly arguments: { readonly [name: string]: unknown };
  /** Its arguments as JSON text, with every digit. */
  readonly json: string;
  /** The id that the model gave it, where it did. */
  readonly id: string | undefined;
  /** How it was written: `hermes`, `mistral`, `fenced` and so on. */
  readonly envelope: string;
  /** What was repaired of its JSON; places are counted from the beginning of that JSON. */
  readonly fixes: readonly Fix[];
  /** Whether the text ended before its arguments did. Refuse such a call of a tool that changes anything. */
  readonly truncated: boolean;
}

/** What looks like a call by its marks and is none. It stays in the remaining text. */
export interface Refused {
  /** How it was written. */
  readonly envelope: string;
  /** What is wrong: a sentence that can go back to the model. */
  readonly reason: string;
}

/** What was found in a text. */
export interface Extracted {
  /** The calls, in the order of the text. */
  readonly calls: readonly Call[];
  /** The text without them, and without white space around it. */
  readonly remaining: string;
  /** How the first call was written. */
  readonly envelope: string | undefined;
  /** Whether the JSON of a call was repaired. */
  readonly repaired: boolean;
  /** Whether a call was cut off. */
  readonly truncated: boolean;
  /** What looks like a call and is none. */
  readonly refused: readonly Refused[];
}

/** The end of a text that came in pieces. */
export interface Finished {
  /** The last parts. */
  readonly parts: (string | Call)[];
  /** All that was found. */
  readonly found: Extracted;
}

/**
 * Finds the calls in a text.
 *
 * Only calls of offered tools are found, given as names or as {@link OfferedTool}. Reasoning (`<think>`), code fences
 * of other languages and inline code are passed over. Where the prompt ended in `<think>`, give it with the
 * text.
 */
export function extract(text: string, offered: Iterable<string | OfferedTool>): Extracted {
  checkText("text", text);
  return extractedOf(native.extract(text, tools(offered)));
}

/** Finds calls in a text that comes in pieces: the same ones, however it is cut. It is for one text. */
export class Extractor {
  readonly #native: Extracting;

  /** Looks for calls of these tools, given as names or as {@link OfferedTool}. */
  constructor(offered: Iterable<string | OfferedTool>) {
    this.#native = new native.Extracting(tools(offered));
  }

  /** Takes the next piece of the text, and returns what has been settled by it: text that belongs to no call, and calls. */
  push(piece: string): (string | Call)[] {
    checkText("piece", piece);
    return (this.#native.push(piece) ?? isOver()).map(partOf);
  }

  /** The text has ended: what is open is cut off. */
  finish(): Finished {
    const { parts, found } = this.#native.finish() ?? isOver();
    return { parts: parts.map(partOf), found: extractedOf(found) };
  }
}

function isOver(): never {
  throw new Error("the text of this Extractor has ended; make another for the next one");
}

function tools(offered: Iterable<string | OfferedTool>): Tool[] {
  if (typeof offered === "string") throw new TypeError(`offered is the text ${JSON.stringify(offered)}: give an array of names, [${JSON.stringify(offered)}]`);
  if (typeof (offered as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== "function") {
    throw new TypeError(`offered is ${sayType(offered)}: give an array of names`);
  }
  return Array.from(offered, tool);
}

function tool(offered: string | OfferedTool): Tool {
  if (typeof offered === "string") return { name: offered };
  if (typeof offered?.name !== "string") throw new TypeError(`offered has ${sayType(offered)} that is no tool: give its name, or { name, schema }`);
  const { name, schema } = offered;
  return schema === undefined ? { name } : { name, schema: encodeJson(schema, "schema") };
}

function partOf({ text, call }: PartParts): string | Call {
  return call === undefined ? text! : callOf(call);
}

function callOf(call: CallParts): Call {
  return { ...call, arguments: JSON.parse(call.json), id: call.id };
}

function extractedOf(found: ExtractedParts): Extracted {
  return { ...found, calls: found.calls.map(callOf), envelope: found.envelope };
}
