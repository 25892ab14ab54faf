// Input that is a web stream, as Bun's is.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

const require = createRequire(import.meta.url);
const { WebInput } = require("../dist/inside.js") as typeof import("../dist/inside.js");

function input() {
  const seen: string[] = [];
  let cancelled = false;
  let source!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (source = controller),
    cancel: () => void (cancelled = true),
  });
  const reader = new WebInput(stream.getReader());
  reader.begin({ feed: (bytes) => void seen.push(bytes.toString()), end: () => void seen.push("the end") });
  const write = (text: string) => source.enqueue(Buffer.from(text));
  return { reader, seen, write, source, isCancelled: () => cancelled };
}

test("bytes and their end are told in order, and not while it is held up", async () => {
  const { reader, seen, write, source } = input();
  write("a");
  await turn();
  reader.pause();
  write("b");
  write("c");
  source.close();
  await turn();
  assert.deepEqual(seen, ["a"]);
  reader.resume();
  await turn();
  assert.deepEqual(seen, ["a", "b", "c", "the end"]);
});

test("one that breaks has ended", async () => {
  const { seen, source } = input();
  source.error(new Error("gone"));
  await turn();
  assert.deepEqual(seen, ["the end"]);
});

test("one that is given up tells nothing, also in the middle of a read", async () => {
  const { reader, seen, isCancelled } = input();
  await turn();
  reader.pause();
  reader.destroy();
  await turn();
  assert.deepEqual([seen, isCancelled()], [[], true]);
});
