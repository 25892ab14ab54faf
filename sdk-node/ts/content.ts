/** Blocks of content: text and images for the model. */

import { Image, image } from "./image.js";
import { sayType, Unsendable } from "./lossy.js";

/** What MCP lets every block say beside; no host of this protocol reads it, so it is left out. */
interface Remarks {
  /** For whom it is, and how much it matters. */
  readonly annotations?: unknown;
  /** For the client. */
  readonly _meta?: unknown;
}

/** A text block as MCP and pi write it. A string is the same. */
export interface TextBlock extends Remarks {
  /** Which kind of block. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image block as MCP and pi write it. An {@link Image} is the same. */
export interface ImageBlock extends Remarks {
  /** Which kind of block. */
  readonly type: "image";
  /** Standard, padded base64. */
  readonly data: string;
  /** What it is: `image/png`. */
  readonly mimeType: string;
}

/** A resource in a result of MCP: the model gets its text or image, with its address. */
export interface ResourceBlock extends Remarks {
  /** Which kind of block. */
  readonly type: "resource";
  /** The resource: its text, or as base64 an image. */
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string | undefined;
    readonly text?: string | undefined;
    readonly blob?: string | undefined;
    readonly [name: string]: unknown;
  };
}

/** A link to a resource in a result of MCP: the model gets a line of text. */
export interface ResourceLinkBlock extends Remarks {
  /** Which kind of block. */
  readonly type: "resource_link";
  /** Its address. */
  readonly uri: string;
  /** Its name. */
  readonly name: string;
  /** Its name for a person. */
  readonly title?: string | undefined;
  /** What it is. */
  readonly description?: string | undefined;
  readonly [name: string]: unknown;
}

/**
 * One block of content: a text, an image ({@link image}, or the bytes of a PNG, JPEG, GIF or WebP), or a
 * block as MCP writes it.
 */
export type Block = string | Image | Uint8Array | TextBlock | ImageBlock | ResourceBlock | ResourceLinkBlock;

/** One or several blocks. */
export type Content = Block | readonly Block[];

/** Whether a value is an image by itself. */
export function isImage(value: unknown): value is Image | Uint8Array {
  return value instanceof Image || value instanceof Uint8Array;
}

type Members = Readonly<Record<string, unknown>>;

/** The kinds of MCP's blocks: the members that a block cannot be without, and those that it may have. */
const KINDS: Readonly<Record<string, { readonly needs: Readonly<Record<string, string>>; readonly may?: readonly string[] }>> = {
  text: { needs: { text: "string" } },
  image: { needs: { data: "string", mimeType: "string" } },
  audio: { needs: { data: "string", mimeType: "string" } },
  resource: { needs: { resource: "object" } },
  resource_link: { needs: { uri: "string" }, may: ["name", "title", "description", "mimeType", "size", "icons"] },
};

/** Whether a value says that it is a block of MCP. */
export function looksLikeBlock(value: unknown): value is Members {
  if (typeof value !== "object" || value === null) return false;
  const { type } = value as Members;
  return typeof type === "string" && Object.hasOwn(KINDS, type);
}

/** What keeps a value that looks like a block from being one; undefined where nothing does. */
function wrongWith(block: Members): string | undefined {
  const type = block["type"] as string;
  const { needs, may = [] } = KINDS[type]!;
  const missing = Object.entries(needs).find(([name, is]) => typeof block[name] !== is || block[name] === null);
  if (missing) return `a block of type ${type} has ${missing[0]}, which is ${/^[aeiou]/.test(missing[1]) ? "an" : "a"} ${missing[1]}`;
  const names = ["type", ...Object.keys(needs), ...may, "annotations", "_meta"];
  const unknown = Object.keys(block).find((name) => !names.includes(name));
  return unknown === undefined ? undefined : `a block of type ${type} has no ${unknown}`;
}

/**
 * Whether a list can only be meant as blocks: all of it are blocks, and one of them is no mere string. A
 * list of strings is a value like any list, however many there are.
 */
export function areBlocks(value: unknown): value is readonly Block[] {
  if (!Array.isArray(value)) return false;
  return value.every(isBlock) && value.some((one) => typeof one !== "string");
}

function isBlock(value: unknown): boolean {
  return typeof value === "string" || isImage(value) || (looksLikeBlock(value) && wrongWith(value) === undefined);
}

/** The JSON of `content`, with the names of the wire. */
export function encodeContent(content: unknown): string {
  const blocks = content === undefined || content === null ? [] : Array.isArray(content) ? content : [content];
  return `[${blocks.map(encodeBlock).join(",")}]`;
}

function encodeBlock(block: unknown): string {
  if (typeof block === "string") return encodeText(block);
  if (block instanceof Uint8Array) return encodeImage(image(block));
  if (block instanceof Image) return encodeImage(block);
  if (!looksLikeBlock(block)) throw new Unsendable(`content is texts and images, and this is ${sayType(block)}`);
  const wrong = wrongWith(block);
  if (wrong !== undefined) throw new Unsendable(wrong);
  switch (block["type"]) {
    case "text":
      return encodeText((block as unknown as TextBlock).text);
    case "image":
      return encodeImage(new Image(block["data"] as string, block["mimeType"] as string));
    case "resource":
      return encodeResource((block as unknown as ResourceBlock).resource);
    case "resource_link":
      return encodeText(linkOf(block as unknown as ResourceLinkBlock));
    default:
      throw new Unsendable("a model cannot be sent a block of audio: keep it in a file, and return its path");
  }
}

/** The text, behind a line with the address. */
function encodeResource({ uri, mimeType, text, blob }: ResourceBlock["resource"]): string {
  if (typeof text === "string") return encodeText(`${uri}:\n${text}`);
  if (typeof blob === "string" && mimeType?.startsWith("image/")) return encodeImage(new Image(blob, mimeType));
  const what = mimeType ?? "unknown type";
  throw new Unsendable(`a model cannot be sent a resource of ${what}: return its text, an image, or its address ${uri}`);
}

function linkOf({ uri, name, title, description }: ResourceLinkBlock): string {
  return [`${title ?? name ?? "resource"}: ${uri}`, description].filter((part) => part !== undefined).join("\n");
}

/** A text block. */
export function encodeText(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

function encodeImage({ base64, mimeType }: Image): string {
  return `{"type":"image","mime_type":${JSON.stringify(mimeType)},"data":${JSON.stringify(base64)}}`;
}
