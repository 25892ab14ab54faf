/** A web stream as input that can be held up and given up: Bun's own, as a read of its file streams is never given up. */

/** What a reader of such a stream is, as far as it is used here. */
export interface WebReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

interface Taker {
  feed(bytes: Buffer): void;
  /** Nothing more will come. */
  end(): void;
}

export class WebInput {
  readonly #reader: WebReader;
  #isPaused = false;
  #isOver = false;
  #goOn: (() => void) | undefined;

  constructor(reader: WebReader) {
    this.#reader = reader;
  }

  begin(taker: Taker): void {
    void this.#read(taker);
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn?.();
    this.#goOn = undefined;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Nothing of it is told any more. */
  destroy(): void {
    this.#isOver = true;
    this.resume();
    this.#reader.cancel().catch(() => {});
  }

  async #read(taker: Taker): Promise<void> {
    for (;;) {
      // One that breaks has ended.
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }));
      while (this.#isPaused) await new Promise<void>((goOn) => (this.#goOn = goOn));
      if (this.#isOver) return;
      if (value !== undefined) taker.feed(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      if (done) return taker.end();
    }
  }
}
