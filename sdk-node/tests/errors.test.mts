// What handlers throw, and what becomes of it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { DefinitionError, Extension, ToolError } from "extline";

const { textOf, toFailure } = createRequire(import.meta.url)("../dist/inside.js") as typeof import("../dist/inside.js");

/** The failure, and what the author is told. */
function fail(thrown: unknown, isCancelled = false) {
  let reported = "";
  const failure = toFailure(thrown, "tool weather", (text) => (reported += text), isCancelled);
  return { failure, reported };
}

test("every kind has a constructor of its name", () => {
  const made = {
    validation: ToolError.validation("no"),
    not_found: ToolError.notFound("no"),
    permission: ToolError.permission("no"),
    transient: ToolError.transient("no"),
    timeout: ToolError.timeout("no"),
    cancelled: ToolError.cancelled("no"),
    conflict: ToolError.conflict("no"),
    stale: ToolError.stale("no"),
    budget: ToolError.budget("no"),
    unsupported: ToolError.unsupported("no"),
    too_large: ToolError.tooLarge("no"),
    protocol: ToolError.protocol("no"),
    internal: ToolError.internal("no"),
    fatal: ToolError.fatal("no"),
  };
  for (const [kind, error] of Object.entries(made)) {
    assert.deepEqual(fail(error), { failure: { kind, message: "no" }, reported: "" });
  }
  assert.equal(new ToolError("no").kind, "validation");
  assert.throws(() => ToolError.ofKind("bogus" as never, "no"), { name: "TypeError", message: /^there is no kind of failure "bogus": it is "validation", / });
  assert.equal(String(ToolError.stale("old")), "ToolError: old");
});

test("a ToolError says all that it was given, with the names of the wire", () => {
  const error = ToolError.conflict("taken", {
    field: "/name",
    hint: "choose another",
    causes: ["first", "second"],
    retryAfterMs: 1500.4,
  });
  const { failure } = fail(error);
  assert.deepEqual(failure, {
    kind: "conflict",
    message: "taken",
    field: "/name",
    hint: "choose another",
    causes: ["first", "second"],
    retry_after_ms: 1500,
  });
  assert.equal(textOf(failure), "taken\nhint: choose another\ncaused by: first\ncaused by: second");
});

test("the causes of a ToolError are those of its cause, also in a ring", () => {
  const inner: Error = new TypeError("inner");
  const outer = new Error("outer", { cause: inner });
  inner.cause = outer;
  assert.deepEqual(fail(ToolError.internal("no map", { cause: outer })).failure.causes, ["outer", "inner"]);
  assert.deepEqual(fail(ToolError.internal("no map", { cause: "the disk" })).failure.causes, ["the disk"]);
});

test("a time to wait that is none is left out", () => {
  for (const retryAfterMs of [Number.NaN, -1, Infinity]) {
    assert.equal(fail(ToolError.transient("busy", { retryAfterMs })).failure.retry_after_ms, undefined);
  }
});

test("a class of the author's own is a ToolError too", () => {
  class Empty extends ToolError {}
  assert.equal(fail(Empty.notFound("nothing there")).failure.kind, "not_found");
  assert.ok(Empty.notFound("nothing there") instanceof Empty);
});

test("any other error is internal, and its author gets the stack", () => {
  const { failure, reported } = fail(new RangeError("out of bounds"));
  assert.deepEqual(failure, { kind: "internal", message: "tool weather failed: RangeError: out of bounds" });
  assert.match(reported, /^tool weather failed:\nRangeError: out of bounds\n {4}at .*errors\.test\.m/);
});

test("what is no error is said as it is", () => {
  const thrown: [unknown, string][] = [
    ["just a text", "just a text"],
    [undefined, "it threw undefined"],
    [null, "it threw null"],
    [42, "it threw 42"],
    [{ status: 404 }, "it threw { status: 404 }"],
    [Symbol("s"), "it threw Symbol(s)"],
    [10n, "it threw 10n"],
  ];
  for (const [value, said] of thrown) {
    const { failure, reported } = fail(value);
    assert.deepEqual(failure, { kind: "internal", message: `tool weather failed: ${said}` });
    assert.equal(reported, `tool weather failed:\n${said}`);
  }
});

test("an error that fights back is answered all the same", () => {
  const broken = () => {
    throw new Error("fought back");
  };
  const hostile = Object.defineProperty(new ToolError("x"), "hint", { get: broken });
  assert.equal(fail(hostile).failure.message, "the error of tool weather failed: Error: fought back");
  const mute = Object.defineProperty(new Error("x"), "message", { get: broken });
  assert.equal(fail(mute).failure.message, "tool weather failed: it threw what cannot be shown");
  const proxy = new Proxy({}, { get: broken, getPrototypeOf: broken });
  assert.match(fail(proxy).failure.message, /failed: /);
});

test("a long text is cut", () => {
  const { failure } = fail(new Error("x".repeat(2000)));
  assert.equal(failure.message, `tool weather failed: Error: ${"x".repeat(493)}...`);
});

test("an AbortError is the answer to a cancel, and a failure without one", () => {
  const reason = AbortSignal.abort().reason as Error;
  assert.deepEqual(fail(reason, true), { failure: { kind: "cancelled", message: "cancelled" }, reported: "" });
  assert.equal(fail(reason).failure.kind, "internal");
  assert.equal(fail(new Error("other"), true).failure.kind, "internal");
});

test("both kinds of modules get the same classes", () => {
  const required = createRequire(import.meta.url)("extline") as typeof import("extline");
  assert.equal(required.ToolError, ToolError);
  assert.equal(required.DefinitionError, DefinitionError);
});

test("a name that is not allowed is told once, at its line: a host shows the last lines of stderr", () => {
  const ext = new Extension("names", "1.0.0");
  assert.throws(() => ext.tool("a b", { description: "x" }, () => "x"), (error: Error) => {
    assert.ok(error instanceof DefinitionError);
    assert.match(error.message, /errors\.test\.mjs:\d+: tool a b: the tool name "a b" is not allowed: use 1 to 64/);
    assert.equal(error.cause, undefined);
    return true;
  });
});

test("what a failure means is allow or block, of an interceptor and of a guard", () => {
  const ext = new Extension("modes", "1.0.0");
  const ask = { onFailure: "ask" } as never;
  const says = /errors\.test\.mjs:\d+: (interceptor of turn_start|guard g): its onFailure is "allow" or "block"/;
  assert.throws(() => ext.intercept("turn_start", () => {}, ask), says);
  assert.throws(() => ext.guard("g", () => {}, ask), says);
});

test("the model is told what led to an error", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
  const fetchFailed = new TypeError("fetch failed", { cause: new AggregateError([refused, refused]) });
  const { failure } = fail(fetchFailed);
  assert.deepEqual(failure, {
    kind: "internal",
    message: "tool weather failed: TypeError: fetch failed",
    causes: ["connect ECONNREFUSED 127.0.0.1:1"],
  });
  const all = new AggregateError([new Error("first"), "second"], "none worked", { cause: new Error("third") });
  assert.deepEqual(fail(all).failure.causes, ["first", "second", "third"]);
  assert.deepEqual(fail(new Error("no code", { cause: Object.assign(new Error(), { code: "EACCES" }) })).failure.causes, ["EACCES"]);
});

test("half a surrogate pair in an error is mended, and its kind and hint stay", () => {
  const { failure } = fail(ToolError.notFound("no \udcff", { hint: "try \ud800", field: "/\udcff" }));
  assert.deepEqual(failure, { kind: "not_found", message: "no \ufffd", hint: "try \ufffd", field: "/\ufffd" });
  assert.equal(fail(new Error("\udcff")).failure.message, "tool weather failed: Error: \ufffd");
});
