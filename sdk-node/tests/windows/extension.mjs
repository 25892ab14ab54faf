// An extension for scripts/test_windows.py: what it prints in the ways of Node must not reach the wire.
import { execSync } from "node:child_process";
import { writeSync } from "node:fs";
import { Extension } from "extline";

console.log("at the import");
const ext = new Extension("probe", "1.0.0");
const input = { type: "object" };
ext.tool("echo", { description: "Says it again.", input }, ({ text }) => text);
// The script asks for so much.
ext.tool("big", { description: "Gives many bytes.", input }, ({ amount }) => "x".repeat(amount));
ext.tool("stray", { description: "Prints.", input }, async () => {
  process.stdout.write("no line end");
  writeSync(1, "by the descriptor");
  console.log("from the console");
  // It would take a frame away if it got hold of the wire.
  execSync("echo from a child& set /p line=", { stdio: "inherit" });
  return "printed";
});
// Keeps the loop until it is cancelled, for ten seconds at most.
ext.tool("keep", { description: "Keeps the event loop.", input }, (_, ctx) => {
  ctx.update("begun");
  const until = Date.now() + 10_000;
  while (!ctx.cancelled && Date.now() < until);
  return ctx.cancelled ? "cancelled" : "nobody cancelled it";
});
await ext.run(import.meta);
