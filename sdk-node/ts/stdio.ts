/**
 * Stdin and stdout, taken over when the package is loaded where a host started this program. A test
 * runner keeps its own, and so does a pipeline that sets EXTLINE_STDIO=leave.
 */

import { isMainThread, native } from "./native.js";

const RUNNERS = ["VITEST", "JEST_WORKER_ID", "NODE_TEST_CONTEXT"];

let isUsed = false;
let hasRun = false;

// They are the process's: a worker finds them as its main thread left them.
if (isMainThread() && native.claimAtLoad(RUNNERS.some((name) => process.env[name] !== undefined))) {
  process.on("exit", (code) => {
    if (isUsed) {
      // One that failed has said why.
      if (!hasRun && code === 0) {
        native.report(
          "this program made an Extension and never ran it: end it with `await ext.run(import.meta)`, " +
            "or `ext.run(module)` in CommonJS",
        );
      }
      return;
    }
    native.report(
      "this program loaded extline and made no Extension, yet what it printed went to stderr: " +
        "set EXTLINE_STDIO=leave to keep its stdout",
    );
  });
}

/** There is an extension, so this is why they were taken. */
export function used(): void {
  isUsed = true;
}

/** It runs, or leaves that to the module that imported its own. */
export function ran(): void {
  hasRun = true;
}

/** This is a test, whatever it runs under: it prints where it always did. */
export function giveBack(): void {
  used();
  ran();
  if (isMainThread()) native.giveBack();
}
