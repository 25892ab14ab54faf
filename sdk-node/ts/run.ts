/** A program that is nothing but an extension. */

import { native, type Reader } from "./native.js";
import type { Offer } from "./offer.js";
import { Serving } from "./serve.js";
import { ran } from "./stdio.js";
import { tellStrayErrors } from "./stray.js";

/** What a module knows of itself: `import.meta`, or `module` in CommonJS. */
export type Main = ImportMeta | CommonJsModule;

/** What of `module` tells that it is the program; no types of Node's are needed to compile against this. */
export interface CommonJsModule {
  readonly id: string;
  readonly filename: string;
}

/** Serves until the host ends it. `keep` is given what serves, before it begins. */
export async function run(offer: Offer, main: Main | undefined, keep: (serving: Serving) => void): Promise<void> {
  ran();
  if (main !== undefined && !isMain(main)) return;
  if (!native.isMainThread()) {
    throw new Error(
      "an extension runs in the main thread of its process, which stdin and stdout belong to, and this is a worker: " +
        "call run() in the main thread and start workers from its handlers",
    );
  }
  if (native.isByHand() && process.env["EXTLINE_STDIO"] !== "claim") {
    process.stderr.write(explanation(offer));
    return;
  }
  const code = await serve(offer, keep);
  if (code !== 0) process.exitCode = code;
}

function serve(offer: Offer, keep: (serving: Serving) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const end = () => ends.forEach((one) => one());
    const serving = new Serving(
      offer,
      {
        finished: (code) => (end(), resolve(code)),
        failed: (error) => (end(), reject(error)),
        shuttingDown: (milliseconds) => endInTime(milliseconds),
      },
      { reader: reader() },
    );
    keep(serving);
    ends.push(tellStrayErrors(serving.session), hearSignals(serving), sayEarlyExit(serving));
    try {
      serving.begin();
    } catch (error) {
      end();
      reject(error);
    }
  });
}

/** Private: which way the tests take. */
function reader(): Reader {
  return process.env["EXTLINE_NODE_READER"] === "socket" ? "socket" : "native";
}

/** SIGTERM is heard natively, unless somebody listens in JavaScript, whose listener takes its place. */
function hearSignals({ session }: Serving): () => void {
  const onSigterm = () => session.sigterm();
  const onSigint = () => session.end(130);
  const hear = () => process.listeners("SIGTERM").includes(onSigterm) || process.on("SIGTERM", onSigterm);
  const onListener = (event: string | symbol, listener: unknown) => {
    if (event === "SIGTERM" && listener !== onSigterm) hear();
  };
  if (!session.isNative || process.listenerCount("SIGTERM") > 0) hear();
  process.on("newListener", onListener);
  // A second Ctrl-C ends the program as it would have.
  process.once("SIGINT", onSigint);
  return () => {
    process.off("newListener", onListener).off("SIGTERM", onSigterm).off("SIGINT", onSigint);
  };
}

/** A handler called `process.exit`, or the program came to its end before its extension did. */
function sayEarlyExit({ session }: Serving): () => void {
  const onExit = (code: number) => {
    const atWork = session.flush();
    session.close();
    const where = atWork.length > 0 ? `while ${atWork.join(", ")} ran` : "while it served";
    native.report(`the program ended with exit code ${code} ${where}; an extension ends when its host ends it`);
  };
  process.on("exit", onExit);
  return () => process.off("exit", onExit);
}

/** What keeps the loop alive after the end, as a timer that was never cleared, does not keep the process. */
function endInTime(milliseconds: number | undefined): void {
  if (milliseconds === undefined) return;
  const since = Date.now();
  const late = () => {
    const left = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "TTYWrap");
    const what = left.length > 0 ? `: ${[...new Set(left)].join(", ")}` : "";
    native.report(`ended ${(Date.now() - since) / 1000} s after shutdown; something keeps the event loop busy${what}`);
    process.exit();
  };
  // The native half ends the process where this comes too late.
  setTimeout(late, milliseconds - 100).unref();
}

function isMain(main: Main): boolean {
  const findFrom = (file: string) => process.getBuiltinModule("node:module").createRequire(file);
  if (!("url" in main)) return findFrom(main.filename).main === main;
  const program = process.argv[1];
  if (program === undefined) return false;
  // As most are: to find it out in any other way takes longer than the rest of the start.
  if (main.url === `file://${program}` && !/[%?#]/.test(program)) return true;
  const { realpathSync } = process.getBuiltinModule("node:fs");
  const file = process.getBuiltinModule("node:url").fileURLToPath(main.url.replace(/[?#].*$/, ""));
  // A program may be named without its ending, or by its folder.
  const found = [() => realpathSync(program), () => realpathSync(findFrom(`${process.cwd()}/`).resolve(program))];
  return found.some((find) => {
    try {
      return find() === file;
    } catch {
      return false;
    }
  });
}

function explanation({ name, version, tools, commands }: Offer): string {
  const tries = [
    "extline run DIR        a console with its commands and tools",
    "extline inspect DIR    what it offers",
  ];
  const [tool] = tools;
  const [command] = commands.keys();
  if (tool) tries.push(`extline call DIR ${tool.name} '{...}'`);
  if (command !== undefined) tries.push(`extline command DIR ${command}`);
  const program = ["node", ...process.execArgv, process.argv[1] ?? "FILE"].join(" ");
  return (
    `${name} ${version} is an extension for a coding agent. It talks with its host over stdin and\n` +
    `stdout, so there is nothing to see when it is started by hand. To try it:\n\n  ${tries.join("\n  ")}\n\n` +
    `DIR is the folder with its extension.json; in its place \`-- ${program}\` starts this very\n` +
    "program. To type frames yourself, set EXTLINE_STDIO=claim.\n"
  );
}
