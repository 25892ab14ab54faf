/** Every frame, both ways. */

import type { HostSteps } from "./native.js";

/** Who sent a line. */
export type Side = "host" | "extension";

/** A frame with the names of the wire. */
export type WireFrame = { readonly type: string; readonly [name: string]: unknown };

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
  readonly #steps: HostSteps;
  readonly #known: Line[] = [];

  /** @internal */
  constructor(steps: HostSteps) {
    this.#steps = steps;
  }

  get #lines(): readonly Line[] {
    const more = this.#steps.lines(this.#known.length);
    this.#known.push(...more.map(({ side, json }) => new Line(side, json)));
    return this.#known;
  }

  /** The frames that one side sent, or those of a type. */
  frames(side: Side, type?: string): WireFrame[] {
    const frames = this.#lines.filter((line) => line.side === side && line.json !== "").map(({ frame }) => frame);
    return frames.filter((frame) => type === undefined || frame.type === type);
  }

  /** The end of it, as it stands in a failure. */
  tail(): string {
    return this.#steps.tail();
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
