/** A program that is nothing but an extension. */

import { Caller, definitionError, type Entry } from "./definition.js";
import { sayType } from "./lossy.js";
import { isMainThread, native, type Reader } from "./native.js";
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

/** The extension that runs in this process, and where it was told to. */
let running: { readonly offer: Offer; readonly caller: Caller } | undefined;
/** The extensions that the program has made. */
const made: { readonly offer: WeakRef<Offer>; readonly author: Caller }[] = [];

/** An extension was made at the line that called `entry`. */
export function keepMade(offer: Offer, entry: Entry): void {
  made.push({ offer: new WeakRef(offer), author: new Caller(entry) });
}

/**
 * Whether this is the program, and not a module that another imports. Refuses what `run` cannot be called with, and a
 * second extension: a process is one.
 */
export function claimRun(offer: Offer, main: unknown, entry: Entry): boolean {
  ran();
  if (main !== undefined && !isModule(main)) {
    const advice = "call ext.run(import.meta), or ext.run(module) in CommonJS";
    throw definitionError("run", `it takes what a module knows of itself, and this is ${sayType(main)}: ${advice}`, entry);
  }
  if (main !== undefined && !isMain(main)) return false;
  if (running === undefined) {
    running = { offer, caller: new Caller(entry) };
    return true;
  }
  const at = placeOf(running.caller);
  if (running.offer === offer) {
    throw definitionError("run", `it was called already${at}: call it once, at the end of the program`, entry);
  }
  const { name } = running.offer;
  const advice = `a process is one extension: let ${name} offer what ${offer.name} offers, or start a program for each`;
  throw definitionError("run", `the extension ${name} runs in this process already${at}, and ${advice}`, entry);
}

function placeOf({ place }: Caller): string {
  return place === undefined ? "" : `, at ${place.file}:${place.line}`;
}

function isModule(main: unknown): main is Main {
  if (typeof main !== "object" || main === null) return false;
  const { url, id, filename } = main as Record<string, unknown>;
  return typeof url === "string" || (typeof id === "string" && typeof filename === "string");
}

/** Another extension of this program offers something, and nobody will see it. */
function tellOthers(offer: Offer): void {
  for (const { offer: kept, author } of made) {
    const other = kept.deref();
    if (other === undefined || other === offer) continue;
    const { tools, commands, events, interceptors, guards } = other;
    if (tools.length + commands.size + events.size + interceptors.size + guards.length === 0) continue;
    const why = `a process is one extension, and this one is ${offer.name}`;
    native.report(`the extension ${other.name}${placeOf(author)} offers something and does not run: ${why}`);
  }
}

/** Serves until the host ends it. `keep` is given what serves, before it begins. */
export async function run(offer: Offer, keep: (serving: Serving) => void): Promise<void> {
  if (!isMainThread()) {
    throw new Error(
      "an extension runs in the main thread of its process, which stdin and stdout belong to, and this is a worker: " +
        "call run() in the main thread and start workers from its handlers",
    );
  }
  const mcp = native.asksForMcp(process.argv[2]);
  const program = ["node", ...process.execArgv, process.argv[1] ?? "FILE"].join(" ");
  if (offer.registrations.isTried(offer.name, offer.version, program, mcp)) return;
  tellOthers(offer);
  const code = await serve(offer, mcp, keep);
  if (code !== 0) process.exitCode = code;
}

function serve(offer: Offer, mcp: boolean, keep: (serving: Serving) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = [];
    const end = () => ends.forEach((one) => one());
    let late: (() => void) | undefined;
    const serving = new Serving(
      offer,
      {
        finished: (code) => (end(), late?.(), resolve(code)),
        failed: (error) => (end(), reject(error)),
        shuttingDown: (milliseconds) => (late = endInTime(milliseconds)),
      },
      { reader: reader(), mcp },
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

/**
 * Deno and Bun have no event loop of libuv's on which a native handle could read. The variable is private: which way
 * the tests take.
 */
function reader(): Reader {
  const isNode = !("deno" in process.versions) && !("bun" in process.versions);
  return isNode && process.env["EXTLINE_NODE_READER"] !== "socket" ? "native" : "socket";
}

/**
 * Signals are heard natively, so that a handler which keeps the loop does not keep them. Where somebody listens
 * in JavaScript that goes on, and this listens there too.
 */
function hearSignals({ session }: Serving): () => void {
  const onSigterm = () => session.sigterm();
  const onSigint = () => session.end(130);
  const hear = () => {
    if (!process.listeners("SIGTERM").includes(onSigterm)) process.on("SIGTERM", onSigterm);
    session.listenInFront();
  };
  const onListener = (event: string | symbol, listener: unknown) => {
    if (event === "SIGTERM" && listener !== onSigterm) hear();
  };
  if (!session.isNative || process.listenerCount("SIGTERM") > 0) hear();
  process.on("newListener", onListener);
  // A second Ctrl-C ends the program as it would have.
  process.once("SIGINT", onSigint);
  session.listenInFront();
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

/**
 * What keeps the loop alive after the end, as a timer that was never cleared, does not keep the process. To be
 * called at the end; what comes before, the native half ends in time, and says why.
 */
function endInTime(milliseconds: number | undefined): (() => void) | undefined {
  if (milliseconds === undefined) return undefined;
  const since = Date.now();
  const late = () => {
    const left = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "TTYWrap");
    const what = left.length > 0 ? `: ${[...new Set(left)].join(", ")}` : "";
    native.report(`ended ${(Date.now() - since) / 1000}s after shutdown; something keeps the event loop busy${what}`);
    process.exit();
  };
  // The native half ends the process where this comes too late.
  return () => void setTimeout(late, milliseconds - 100 - (Date.now() - since)).unref();
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
