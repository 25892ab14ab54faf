#!/usr/bin/env node
// Starts the program `extline`, which is in the package for this platform, with everything it was given.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const name = `extline-cli-${process.platform}-${process.arch}`;
let program;
try {
  program = createRequire(import.meta.url).resolve(`${name}/${process.platform === "win32" ? "extline.exe" : "extline"}`);
} catch {
  console.error(
    `extline: there is no package ${name} beside extline-cli. Install it again (npm install extline-cli ` +
      "--include=optional); docs/PLATFORM.md says which platforms there are",
  );
  process.exit(127);
}

// A terminal sends these to both: the program decides. Others reach this process alone, and are passed on.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`extline: ${program} does not start: ${error.message}`);
  process.exit(126);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
