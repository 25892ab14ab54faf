/** Tools that answer at once, with each kind of value. */
import { image, RawJson, ToolResult, view } from "extline";
import { z } from "zod";
import { kit } from "./memory.js";

const ANY = { type: "object" } as const;
const NONE = { type: "object", properties: {} } as const;

kit.tool("echo", { description: "Gives its arguments back.", input: ANY }, (_, ctx) => ctx.rawArgs);

kit.tool("native", { description: "Gives its arguments back by way of native values.", input: ANY }, (args) => args);

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
kit.tool("text", { description: "Gives a text back.", input: text }, (args) => args.text);

const city = z.object({ city: z.string() });
kit.tool("typed", { description: "Wants a city.", input: city }, (args) => args.city);

const literal = { type: "object", properties: { literal: { type: "string" } }, required: ["literal"] } as const;
kit.tool("number", { description: "Gives a number back.", input: literal }, (args) => {
  return new RawJson(`{"number":${args.literal}}`);
});

kit.tool("nothing", { description: "Answers with nothing.", input: NONE }, () => undefined);

kit.tool("half", { description: "Gives half a character.", input: NONE }, () => "\ud83d");

const bytes = {
  type: "object",
  properties: { n: { type: "integer", minimum: 0 }, kind: { enum: ["text", "image"] } },
  required: ["n"],
} as const;
kit.tool("bytes", { description: "Gives so many bytes.", input: bytes }, ({ n, kind }) => {
  return kind === "image" ? image(Uint8Array.from({ length: n }, (_, i) => i), "image/png") : "x".repeat(n);
});

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
kit.tool("image", { description: "Gives an image between two texts.", input: NONE }, () => ["before", image(PNG), "after"]);

kit.tool("full", { description: "Answers with everything that a result can hold.", input: NONE }, () => {
  return new ToolResult("full", {
    activate: ["declared"],
    details: { lines: 0 },
    view: view.lines(["full"]),
    effects: [
      { kind: "file", op: "modify", path: "notes.md", bytesBefore: 0, bytesAfter: 12 },
      { kind: "process", command: "make", pid: 7, exitCode: 0 },
    ],
    trust: "untrusted",
  });
});
