/** Every frame, both ways. */

/** Who sent a line. */
export type Side = "host" | "extension";

/** A frame with the names of the wire. */
export type WireFrame = { readonly type: string; readonly [name: string]: unknown };

// How much of it stands in a failure.
const TAIL_LINES = 12;
const TAIL_LINE = 200;

/** One line as it went. */
export class Line {
  /** Who sent it. */
  readonly side: Side;
  /** The line, without its end. */
  readonly json: string;

  /** @internal */
  constructor(side: Side, json: string) {
    this.side = side;
    this.json = json;
  }

  /** The frame. Throws a `SyntaxError` for a line that is no JSON. */
  get frame(): WireFrame {
    return JSON.parse(this.json) as WireFrame;
  }

  toString(): string {
    return `${this.side.padEnd(9)} > ${this.json}`;
  }
}

/** The lines in their order; as a string, one below the other. */
export class Transcript implements Iterable<Line> {
  readonly #lines: Line[] = [];
  readonly #begun: Record<Side, Buffer[]> = { host: [], extension: [] };

  /** Takes in what went, whole lines or not. @internal */
  add(side: Side, bytes: Uint8Array): void {
    const begun = this.#begun[side];
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      begun.push(Buffer.from(bytes.subarray(from, end)));
      this.#lines.push(new Line(side, Buffer.concat(begun.splice(0)).toString()));
      from = end + 1;
    }
    if (from < bytes.length) begun.push(Buffer.from(bytes.subarray(from)));
  }

  /** The frames that one side sent, or those of a type. */
  frames(side: Side, type?: string): WireFrame[] {
    const frames = this.#lines.filter((line) => line.side === side && line.json !== "").map(({ frame }) => frame);
    return frames.filter((frame) => type === undefined || frame.type === type);
  }

  /** The end of it, as it stands in a failure. */
  tail(): string {
    const leftOut = Math.max(0, this.#lines.length - TAIL_LINES);
    const title = leftOut > 0 ? `the last frames, after ${leftOut} others:` : "the frames:";
    const lines = this.#lines.slice(leftOut).map(String);
    return [title, ...lines.map((line) => (line.length > TAIL_LINE ? `${line.slice(0, TAIL_LINE)}...` : line))].join("\n  ");
  }

  /** How many lines. */
  get length(): number {
    return this.#lines.length;
  }

  [Symbol.iterator](): Iterator<Line> {
    return this.#lines.values();
  }

  toString(): string {
    return this.#lines.join("\n");
  }
}
