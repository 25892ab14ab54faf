// What handlers return and yield, and what is answered.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Image, image, RawJson, Response, ToolResult, type Update } from "extline";

const require = createRequire(import.meta.url);
const inside = require("../dist/inside.js") as typeof import("../dist/inside.js");
const { encodeFailure, encodeResponse, encodeResult, encodeUpdate } = inside;

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const PNG_BLOCK = '{"type":"image","mime_type":"image/png","data":"iVBORw0KGgo="}';

/** The members of the answer. */
function members(returned: unknown): string {
  const { form, text } = encodeResult(returned);
  assert.equal(form, "members");
  return text;
}

/** The JSON of the value that is answered. */
function value(returned: unknown): string {
  const { form, text } = encodeResult(returned);
  assert.equal(form, "value");
  return text;
}

test("a string is one text, also when it is empty", () => {
  assert.deepEqual(encodeResult("fog"), { form: "text", text: "fog" });
  assert.deepEqual(encodeResult(""), { form: "text", text: "" });
});

test("nothing is an empty answer", () => {
  assert.equal(members(undefined), '{"content":[]}');
  assert.equal(members(null), '{"content":[]}');
});

test("images and texts are blocks", () => {
  assert.equal(members(PNG), `{"content":[${PNG_BLOCK}]}`);
  assert.equal(members(Buffer.from(PNG)), `{"content":[${PNG_BLOCK}]}`);
  assert.equal(members(image(PNG)), `{"content":[${PNG_BLOCK}]}`);
  assert.equal(members(["before", PNG, "after"]), `{"content":[{"type":"text","text":"before"},${PNG_BLOCK},{"type":"text","text":"after"}]}`);
});

test("the media types of common images are seen", () => {
  const heads: [Uint8Array, string][] = [
    [PNG, "image/png"],
    [Uint8Array.of(0xff, 0xd8, 0xff), "image/jpeg"],
    [Buffer.from("GIF89a"), "image/gif"],
    [Buffer.from("RIFF\0\0\0\0WEBPVP8 "), "image/webp"],
  ];
  for (const [bytes, mimeType] of heads) assert.equal(image(bytes).mimeType, mimeType);
  assert.deepEqual(image(Buffer.from("<svg/>"), "image/svg+xml"), new Image("PHN2Zy8+", "image/svg+xml"));
  assert.deepEqual(image("PHN2Zy8+", "image/svg+xml"), new Image("PHN2Zy8+", "image/svg+xml"));
  // A part of a larger buffer.
  assert.equal(image(new Uint8Array([0, ...PNG, 0]).subarray(1, 9)).base64, "iVBORw0KGgo=");
  assert.throws(() => image(Buffer.from("<svg/>")), { message: 'these bytes do not say what they are: image(data, "image/png")' });
  assert.throws(() => image("PHN2Zy8+"), { message: 'say what the image is: image(data, "image/png")' });
  assert.throws(() => image([1] as never, "image/png"), { message: "the data of an image are bytes or base64, and this is an array" });
  assert.throws(() => encodeResult(Buffer.from("text")), /these bytes do not say what they are/);
});

test("blocks as MCP and pi write them are blocks", () => {
  const blocks = [{ type: "text", text: "a" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }];
  const written = `[{"type":"text","text":"a"},${PNG_BLOCK}]`;
  assert.equal(members(blocks), `{"content":${written}}`);
  assert.equal(members({ content: blocks }), `{"content":${written}}`);
  assert.equal(
    members({ content: blocks.slice(0, 1), details: { lines: 0 }, isError: true, structuredContent: [] }),
    '{"content":[{"type":"text","text":"a"}],"is_error":true,"structured_content":[],"details":{"lines":0}}',
  );
});

test("what only looks like blocks is a value", () => {
  const values = [
    [],
    [{ type: "text" }],
    [{ type: "text", text: "a", line: 1 }],
    ["a", 1],
    { type: "text", text: "a" },
    { content: ["a"] },
    { content: [] },
    { isError: false },
    ["a", "b"],
    ["a"],
  ];
  for (const one of values) assert.equal(value(one), JSON.stringify(one));
});

test("a result of MCP or pi says what it means", () => {
  const content = [{ type: "text", text: "failed", annotations: { priority: 1 }, _meta: {} }];
  const written = '[{"type":"text","text":"failed"}]';
  assert.equal(members({ content, isError: true, _meta: {} }), `{"content":${written},"is_error":true}`);
  assert.equal(members({ content, _meta: { id: 1 } }), `{"content":${written},"details":{"_meta":{"id":1}}}`);
  assert.equal(members({ content: [], structuredContent: { n: 0 } }), '{"content":[],"structured_content":{"n":0}}');
  assert.equal(members({ structuredContent: { n: 0 }, isError: true }), '{"content":[{"type":"text","text":"{\\"n\\":0}"}],"is_error":true,"structured_content":{"n":0}}');
  assert.equal(members({ content, isError: undefined }), `{"content":${written}}`);
});

test("resources of MCP become texts and images", () => {
  const resource = { uri: "file:///a.md", mimeType: "text/markdown", text: "# A" };
  const link = { type: "resource_link", uri: "file:///b.md", name: "b", description: "the other" };
  const picture = { uri: "file:///c.png", mimeType: "image/png", blob: "iVBORw0KGgo=" };
  assert.equal(
    members({ content: [{ type: "resource", resource }, link, { type: "resource", resource: picture }] }),
    `{"content":[{"type":"text","text":"file:///a.md:\\n# A"},{"type":"text","text":"b: file:///b.md\\nthe other"},${PNG_BLOCK}]}`,
  );
});

test("what a result of MCP says and cannot be sent is refused", () => {
  const text = { type: "text", text: "a" };
  const refused: [unknown, RegExp][] = [
    [{ content: [text], total: 1 }, /^a result has content, .* and no total: use structuredContent, details, or a ToolResult$/],
    [{ content: [text], is_error: true }, /and no is_error: use the member isError$/],
    [{ content: [text], details: 1, _meta: { a: 1 } }, /^a result has details or _meta, and not both/],
    [{ content: "failed", isError: true }, /^the content of a result is a list of blocks, and this is a string; for a failure throw/],
    [{ isError: true }, /^the content of a result is a list of blocks, and this is undefined/],
    [{ content: [{ type: "text" }] }, /^a block of type text has text, which is a string$/],
    [{ content: [{ ...text, line: 1 }] }, /^a block of type text has no line$/],
    [{ content: [{ type: "audio", data: "x", mimeType: "audio/wav" }] }, /^a model cannot be sent a block of audio: keep it in a file/],
    [{ content: [{ type: "resource", resource: { uri: "a", blob: "x" } }] }, /^a model cannot be sent a resource of unknown type/],
    [Response.prompt("x"), /^a Response is what a command answers: return a string, a JSON value or a ToolResult$/],
  ];
  for (const [returned, message] of refused) assert.throws(() => encodeResult(returned), { name: "TypeError", message });
});

test("an object of a class that shows nothing is refused, as a Response of fetch", () => {
  class Weather {
    #degrees = 16;
    get degrees() {
      return this.#degrees;
    }
  }
  const refused: [unknown, string][] = [
    [new globalThis.Response("x"), "a Response of fetch is no JSON value: return await response.text(), or .json()"],
    [{ page: new globalThis.Response("x") }, "/page: a Response of fetch is no JSON value: return await response.text(), or .json()"],
    [new Weather(), "a Weather has no members that JSON shows: return a plain object with what matters of it"],
    [new Headers(), "an iterator is no JSON value: [...iterator] is one"],
    [new Blob([]), "a Blob is no JSON value: image(await blob.bytes(), blob.type) makes an image of it"],
  ];
  for (const [returned, message] of refused) assert.throws(() => encodeResult(returned), { name: "TypeError", message });
  assert.equal(value(Object.create(null)), "{}");
});

test("anything else is a value", () => {
  assert.equal(value({ degrees: 16, sky: ["fog"] }), '{"degrees":16,"sky":["fog"]}');
  assert.equal(value(0), "0");
  assert.equal(value(false), "false");
  assert.equal(value(2n ** 64n), "18446744073709551616");
  assert.equal(value(new Date(0)), '"1970-01-01T00:00:00.000Z"');
  assert.equal(value(new RawJson('{"n":1.0}')), '{"n":1.0}');
  assert.throws(() => encodeResult({ a: [Number.NaN] }), { message: "/a/0: JSON has no NaN" });
  assert.throws(() => encodeResult(() => 1), { message: "a function is no JSON value" });
});

test("a ToolResult says all that it was given, in the order of the protocol", () => {
  const result = new ToolResult("full", {
    trust: "untrusted",
    effects: [
      { kind: "file", op: "modify", path: "notes.md", bytesBefore: 0, bytesAfter: 12 },
      { kind: "file", op: "rename", path: "a", newPath: "b" },
      { kind: "process", command: "make", pid: 7, exitCode: 0 },
    ],
    details: { lines: 0 },
    structured: { ok: true },
    activate: ["declared"],
    isError: true,
  });
  assert.equal(
    members(result),
    '{"content":[{"type":"text","text":"full"}],"is_error":true,"activate_tools":["declared"],' +
      '"structured_content":{"ok":true},"details":{"lines":0},"effects":[' +
      '{"kind":"file","op":"modify","path":"notes.md","bytes_before":0,"bytes_after":12},' +
      '{"kind":"file","op":"rename","path":"a","new_path":"b"},' +
      '{"kind":"process","command":"make","pid":7,"exit_code":0}],"trust":"untrusted"}',
  );
});

test("a ToolResult writes what is empty, and leaves out what was not given", () => {
  assert.equal(members(new ToolResult()), '{"content":[]}');
  assert.equal(members(new ToolResult("", { effects: [], activate: [], details: "", isError: false })), '{"content":[{"type":"text","text":""}],"activate_tools":[],"details":"","effects":[]}');
  assert.equal(members(new ToolResult([], { structured: 1 })), '{"content":[],"structured_content":1}');
  assert.equal(members(new ToolResult(undefined, { structured: { a: "b" } })), '{"content":[{"type":"text","text":"{\\"a\\":\\"b\\"}"}],"structured_content":{"a":"b"}}');
});

test("what a ToolResult cannot hold is refused with its place", () => {
  assert.throws(() => encodeResult(new ToolResult("", { details: { n: Number.NaN } })), { message: "/details/n: JSON has no NaN" });
  assert.throws(() => encodeResult(new ToolResult("", { structured: [new Map()] })), /^TypeError: \/structured\/0: a Map/);
  assert.throws(() => encodeResult(new ToolResult({ a: 1 } as never)), { message: "content is texts and images, and this is an object" });
});

test("what a ToolResult says beside its content is of the type that it has", () => {
  const odd: [object, string][] = [
    [{ activate: "declared" }, "activate of a ToolResult is a list of names, and this is a string"],
    [{ effects: { kind: "file" } }, "effects of a ToolResult is a list of effects, and this is an object"],
    [{ trust: true }, 'trust of a ToolResult is "trusted" or "untrusted", and this is a boolean'],
    [{ trust: "some" }, 'trust of a ToolResult is "trusted" or "untrusted", and this is "some"'],
  ];
  for (const [options, message] of odd) assert.throws(() => encodeResult(new ToolResult("", options)), { name: "TypeError", message });
});

test("a failure says in its text what every host shows", () => {
  const failure = { kind: "stale", message: "old", field: "/a", hint: "read it again" };
  assert.deepEqual(encodeFailure(failure), {
    form: "members",
    text:
      '{"content":[{"type":"text","text":"old\\nhint: read it again"}],"is_error":true,' +
      '"error":{"kind":"stale","message":"old","field":"/a","hint":"read it again"}}',
  });
});

test("an update is a message, or what it says", () => {
  const updates: [string | Update, string][] = [
    ["reading", '{"progress":{"message":"reading"}}'],
    [{ message: "reading", unit: "files", total: 2, done: 0 }, '{"progress":{"done":0,"total":2,"unit":"files","message":"reading"}}'],
    [{ done: Number.NaN, total: 0 }, '{"progress":{"total":0}}'],
    [{ text: "so far: a" }, '{"content":[{"type":"text","text":"so far: a"}]}'],
    [{ message: "m", text: ["a", PNG], details: [1] }, `{"content":[{"type":"text","text":"a"},${PNG_BLOCK}],"details":[1],"progress":{"message":"m"}}`],
    [{}, "{}"],
  ];
  for (const [update, written] of updates) assert.equal(encodeUpdate(update), written);
  for (const wrong of [5, null, ["a"], new ToolResult("a")]) {
    assert.throws(() => encodeUpdate(wrong as never), /^TypeError: an update says how the call stands, .* and this is .* \(the result is what is returned\)$/);
  }
});

test("a command answers with a Response, a string or nothing", () => {
  const responses: [unknown, string][] = [
    [Response.prompt("p"), '{"action":"prompt","prompt":"p"}'],
    [Response.insert("i"), '{"action":"insert","insert":"i"}'],
    [Response.display("d"), '{"action":"display","display":"d"}'],
    [Response.noop(), '{"action":"noop"}'],
    [Response.error("e"), '{"action":"noop","error":"e"}'],
    [
      Response.openPanel({ footer: "f", id: "p", lines: [], title: "" }),
      '{"action":"open_panel","open_panel":{"id":"p","title":"","lines":[],"footer":"f"}}',
    ],
    [Response.openPanel({ id: "p" }), '{"action":"open_panel","open_panel":{"id":"p"}}'],
    [
      Response.toolPrompt("weather", { city: "Bonn", n: 1n }, "p"),
      '{"action":"tool_prompt","prompt":"p","tool_name":"weather","tool_args":{"city":"Bonn","n":1}}',
    ],
    ["shown", '{"action":"display","display":"shown"}'],
    ["", '{"action":"display","display":""}'],
    [undefined, '{"action":"noop"}'],
    [null, '{"action":"noop"}'],
  ];
  for (const [returned, written] of responses) assert.equal(encodeResponse(returned), written);
  assert.deepEqual(Response.prompt("a"), Response.prompt("a"));
  assert.notDeepEqual(Response.prompt("a"), Response.display("a"));
  assert.throws(() => encodeResponse(5), { message: "a command returns a Response, a string or nothing, and this is a number" });
  assert.throws(() => encodeResponse(globalThis.Response.json({})), { message: /and this is a Response$/ });
  assert.throws(() => Response.prompt(5 as never), { message: "a prompt is a string, and this is a number" });
});
