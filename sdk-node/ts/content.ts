/** Blocks of content: text and images for the model. */

import { Image, image } from "./image.js";
import { sayType } from "./lossy.js";

/** A text block as MCP and pi write it. A string is the same. */
export interface TextBlock {
  /** Which kind of block. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** An image block as MCP and pi write it. An {@link Image} is the same. */
export interface ImageBlock {
  /** Which kind of block. */
  readonly type: "image";
  /** Standard, padded base64. */
  readonly data: string;
  /** What it is: `image/png`. */
  readonly mimeType: string;
}

/** One block of content: a text, or an image ({@link image}, or the bytes of a PNG, JPEG, GIF or WebP). */
export type Block = string | Image | Uint8Array | TextBlock | ImageBlock;

/** One or several blocks. */
export type Content = Block | readonly Block[];

function isBlock(value: unknown): value is Block {
  return typeof value === "string" || isImage(value) || isBlockObject(value);
}

/** Whether a value is an image by itself. */
export function isImage(value: unknown): value is Image | Uint8Array {
  return value instanceof Image || value instanceof Uint8Array;
}

/** `{type: "text", text}` and `{type: "image", data, mimeType}`, and nothing else in them. */
function isBlockObject(value: unknown): value is TextBlock | ImageBlock {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Record<string, unknown>;
  const names = members.type === "text" ? ["text"] : members.type === "image" ? ["data", "mimeType"] : [];
  const isWhole = names.length > 0 && names.every((name) => typeof members[name] === "string");
  return isWhole && Object.keys(value).length === names.length + 1;
}

/** Whether a value is a list that can only be meant as blocks: not empty, and each of them one. */
export function areBlocks(value: unknown): value is readonly Block[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
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
  if (!isBlockObject(block)) throw new TypeError(`content is texts and images, and this is ${sayType(block)}`);
  return block.type === "text" ? encodeText(block.text) : encodeImage(new Image(block.data, block.mimeType));
}

/** A text block. */
export function encodeText(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

function encodeImage({ base64, mimeType }: Image): string {
  return `{"type":"image","mime_type":${JSON.stringify(mimeType)},"data":${JSON.stringify(base64)}}`;
}
