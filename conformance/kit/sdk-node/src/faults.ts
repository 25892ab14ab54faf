/** Tools that do what an extension should not. */
import { spawn, spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { ToolError, type ErrorKind } from "extline";
import { kit, MESSAGE } from "./memory.js";

const HOW = { type: "object", properties: { how: { type: "string" } }, required: ["how"] } as const;
const STRAY = {
  type: "object",
  properties: { via: { enum: ["print", "write", "child", "at_exit"] } },
  required: ["via"],
} as const;
const SIZE = { type: "object", properties: { n: { type: "integer", minimum: 0 } }, required: ["n"] } as const;

type Words = readonly [program: string, args: readonly string[]];
const isWindows = process.platform === "win32";
/** A process that reads until its stdin ends. */
const READER: Words = isWindows ? ["cmd", ["/c", "set /p line="]] : ["cat", []];

/** The same, which prints something at its end. */
function readerThatSays(text: string): Words {
  return isWindows ? ["cmd", ["/c", `set /p line=& echo ${text}`]] : ["sh", ["-c", `cat; echo ${text}`]];
}

kit.tool("fail", { description: "Fails in a chosen way.", input: HOW }, ({ how }) => {
  if (how === "full") {
    const hint = "ask for something else";
    throw ToolError.conflict(MESSAGE, { field: "/how", hint, causes: ["first", "second"], retryAfterMs: 1500 });
  }
  if (how === "throw") throw new Error(MESSAGE);
  if (how === "panic") return Promise.reject(null);
  if (how === "return") return { no: new Map() };
  if (how === "exit") process.exit(7);
  if (how === "abort") process.abort();
  throw ToolError.ofKind(how as ErrorKind, MESSAGE);
});

kit.tool("stdout", { description: "Writes to stdout past the protocol.", input: STRAY }, ({ via }) => {
  if (via === "print") {
    console.log("stray print");
    process.stdout.write("half a line");
  } else if (via === "write") {
    writeSync(1, "stray write\n");
  } else if (via === "child") {
    const [program, args] = readerThatSays("stray child");
    spawnSync(program, args, { stdio: "inherit" });
  } else {
    process.on("exit", () => console.log("stray at_exit"));
  }
  return "printed";
});

kit.tool("stderr", { description: "Writes to stderr.", input: SIZE }, ({ n }) => {
  console.error("x".repeat(n));
  return "written";
});

const NONE = { type: "object", properties: {} } as const;
kit.tool("spawn_child", { description: "Starts a process that lives as long as this one.", input: NONE }, () => {
  const [program, args] = READER;
  spawn(program, args, { stdio: ["pipe", "inherit", "inherit"] });
  return "started";
});
