// Values of JavaScript as JSON text.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { RawJson } from "extline";

const { encodeJson } = createRequire(import.meta.url)("../dist/inside.js") as typeof import("../dist/inside.js");

const cycle: Record<string, unknown> = { a: [1] };
cycle.a = [1, { again: cycle }];
let deep: unknown = 0;
for (let level = 0; level < 10_000; level++) deep = [deep];

class Money {
  constructor(readonly cents: number) {}
  toJSON() {
    return { cents: this.cents };
  }
}

test("values are written compact, as JSON.stringify does", () => {
  const values: unknown[] = [
    "é\u2028/\x01\x7f",
    { a: [1, 2.5, -0, 1e21, 1e-7], b: { c: null }, "": true, "a/b": false },
    { left: undefined, out() {}, [Symbol("s")]: 1, kept: null },
    { when: new Date(0), money: new Money(5), none: null },
    [Object.create(null), new Number(1), new String("s"), new Boolean(false), null],
    new Money(3),
    { inherited: Object.create({ a: 1 }), empty: {} },
    Object.assign(Object.create({ toJSON: () => "own" }), { a: 1 }),
    [[], {}, "null", "{}"],
  ];
  for (const value of values) assert.equal(encodeJson(value), JSON.stringify(value));
});

test("what goes the long way is written the same", () => {
  const value = { when: new Date(0), a: [1, "x", { b: true }], left: undefined, out() {}, "é\n": new Money(1) };
  const short = JSON.stringify(value).slice(0, -1);
  assert.equal(encodeJson({ ...value, big: 12n }), `${short},"big":12}`);
  assert.equal(encodeJson([{ toJSON: () => undefined, k: 1 }, null].slice(1)), "[null]");
  assert.equal(encodeJson({ gone: { toJSON: () => undefined }, n: null }), '{"n":null}');
});

test("a bigint keeps its digits, an integer beyond 2^53 those that it has", () => {
  assert.equal(encodeJson({ n: [2n ** 70n, -1n] }), '{"n":[1180591620717411303424,-1]}');
  assert.equal(encodeJson(123n), "123");
  assert.equal(encodeJson(2 ** 53 + 2), "9007199254740994");
  assert.equal(encodeJson(2 ** 70), "1.1805916207174113e+21");
});

test("raw JSON stands as it is, also within", () => {
  const raw = new RawJson(' {"a" : 1.10, "\\u0061": 1E+2}\n');
  assert.equal(encodeJson(raw), '{"a" : 1.10, "\\u0061": 1E+2}');
  assert.equal(encodeJson({ list: [raw] }), '{"list":[{"a" : 1.10, "\\u0061": 1E+2}]}');
  assert.equal(JSON.stringify({ raw }), '{"raw":{"a":100}}');
  assert.deepEqual(raw.load(), { a: 100 });
  assert.equal(`${raw}`, raw.text);
  assert.throws(() => new RawJson("{"), SyntaxError);
});

test("half a surrogate pair is left to the native half, which writes U+FFFD", () => {
  assert.equal(encodeJson({ a: "\ud83d" }), '{"a":"\\ud83d"}');
});

test("what JSON would change is refused with its place", () => {
  const cases: [unknown, string][] = [
    [{ a: [1, Number.NaN] }, "/a/1: JSON has no NaN"],
    [[-Infinity], "/0: JSON has no -Infinity"],
    [{ "a/b": { "c~d": Infinity } }, "/a~1b/c~0d: JSON has no Infinity"],
    [[1, undefined], "/1: undefined is no JSON value"],
    // biome-ignore lint: a hole on purpose
    [[1, , 2], "/1: undefined is no JSON value"],
    [[() => 1], "/0: a function is no JSON value"],
    [{ x: [encodeJson] }, "/x/0: the function encodeJson is no JSON value"],
    [[Symbol("s")], "/0: a symbol is no JSON value"],
    [Symbol("s"), "a symbol is no JSON value"],
    [{ m: new Map([[1, 2]]) }, "/m: a Map is no JSON value: Object.fromEntries(map) is one"],
    [{ s: new Set([1]) }, "/s: a Set is no JSON value: [...set] is one"],
    [{ e: new Error("x") }, "/e: an Error is no JSON value: throw it, or return its message"],
    [{ p: Promise.resolve(1) }, "/p: a Promise is no JSON value: is an `await` missing?"],
    [[[1].values()], "/0: an iterator is no JSON value: [...iterator] is one"],
    [{ r: /x/ }, "/r: a RegExp is no JSON value"],
    [{ when: new Date(Number.NaN) }, "/when: is an invalid Date"],
    [{ b: Buffer.from("x") }, "/b: bytes are no JSON value: image(data, mimeType) makes an image of them"],
    [{ b: new Uint8Array(2) }, "/b: bytes are no JSON value: image(data, mimeType) makes an image of them"],
    [Object.assign([1], { toJSON: () => [Number.NaN] }), "/0: JSON has no NaN"],
    [cycle, "/a/1/again: contains itself"],
  ];
  for (const [value, message] of cases) assert.throws(() => encodeJson(value), { name: "TypeError", message });
});

test("nesting without an end is refused, not a crash", () => {
  assert.throws(() => encodeJson(deep), /nested more than 128 levels deep$/);
});

test("the same object twice is no cycle", () => {
  const shared = { n: 1n };
  assert.equal(encodeJson([shared, { shared }]), '[{"n":1},{"shared":{"n":1}}]');
});

test("an error of toJSON is the author's", () => {
  const value = {
    toJSON() {
      throw new RangeError("mine");
    },
  };
  assert.throws(() => encodeJson(value), { name: "RangeError", message: "mine" });
});
