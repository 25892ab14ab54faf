/** Images for the model. */

import { sayType, Unsendable } from "./lossy.js";

/** An image for the model, made by {@link image}. */
export class Image {
  /** Its bytes as standard, padded base64. */
  readonly base64: string;
  /** What it is: `image/png`. */
  readonly mimeType: string;

  /** {@link image} also takes bytes, and knows the common media types. */
  constructor(base64: string, mimeType: string) {
    this.base64 = base64;
    this.mimeType = mimeType;
  }
}

/**
 * An image from its bytes, as they stand in a file; a string is standard base64 already. The media
 * type of PNG, JPEG, GIF and WebP need not be said.
 *
 * @example
 * ```ts
 * return ["The chart:", image(await readFile("chart.png"))];
 * ```
 */
export function image(data: Uint8Array | string, mimeType?: string): Image {
  if (typeof data === "string") {
    if (!mimeType) throw new Unsendable('say what the image is: image(data, "image/png")');
    return new Image(data, mimeType);
  }
  if (!(data instanceof Uint8Array)) {
    throw new Unsendable(`the data of an image are bytes or base64, and this is ${sayType(data)}`);
  }
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return new Image(bytes.toString("base64"), mimeType || sniff(bytes));
}

function sniff(bytes: Buffer): string {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("\xff\xd8")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  throw new Unsendable('these bytes do not say what they are: image(data, "image/png")');
}
