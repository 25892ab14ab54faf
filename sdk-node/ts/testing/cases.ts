/** Case files: what `extline conformance --cases` plays, played in process. */

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Extension } from "../extension.js";
import { Caller } from "../inside.js";
import { Misuse } from "./failure.js";
import { Host } from "./host.js";
import { native, type CaseInfo, type Cases } from "./native.js";
import type { HostOptions } from "./options.js";

/** The extension that cases are played against, or what makes one: then each host has its own. */
export type Played = Extension | (() => Extension | Promise<Extension>);

/** Defines a test: `test` of node:test, of vitest, of most others. */
export type DefineTest = (name: string, run: () => Promise<void>) => unknown;

interface CaseFile {
  readonly cases: Cases;
  readonly list: readonly CaseInfo[];
}

/**
 * Plays the cases of a file, in the format of `extline conformance --cases`, which docs/tester/cases.md of the
 * repository documents: what holds here holds for the program too. The first that fails rejects, with
 * the file and line of its step and the last frames.
 *
 * One host is started for all cases that share a process, and one more for each run of a case with
 * `process = "own"` or `timing = true`. A relative path counts from the working directory.
 */
export async function playCases(file: string | URL, extension: Played, options: HostOptions = {}): Promise<void> {
  const starter = new Caller(playCases);
  const { cases, list } = read(file);
  let shared: Host | undefined;
  const playAll = async () => {
    for (const [number, { isShared, values }] of list.entries()) {
      for (const value of runsOf(values)) {
        if (isShared) {
          shared ??= await start(starter, extension, options);
          await shared.talk.play(cases, number, value);
        } else {
          // An extension has one host at a time.
          await shared?.close();
          shared = undefined;
          await playAlone(starter, cases, number, value, extension, options);
        }
      }
    }
  };
  await thenClose(playAll, () => shared);
}

/**
 * Defines a test for each case of a file, named after its title and place; each has a host of its own.
 *
 * @example
 * ```ts
 * import { test } from "node:test"; // or "vitest"
 * testCases("cases/weather.toml", ext, test);
 * ```
 */
export function testCases(
  file: string | URL,
  extension: Played,
  test: DefineTest,
  options: HostOptions = {},
): void {
  const starter = new Caller(testCases);
  const { cases, list } = read(file);
  for (const [number, { title, id, file: name, line, values }] of list.entries()) {
    test(`${title} (${id}, ${name}:${line})`, async () => {
      for (const value of runsOf(values)) await playAlone(starter, cases, number, value, extension, options);
    });
  }
}

async function playAlone(
  starter: Caller,
  cases: Cases,
  number: number,
  value: number,
  extension: Played,
  options: HostOptions,
): Promise<void> {
  const host = await start(starter, extension, options);
  await thenClose(() => host.talk.play(cases, number, value), () => host);
}

/** Ends the host in any case; how that goes is told only where the cases went well. */
async function thenClose(play: () => Promise<void>, host: () => Host | undefined): Promise<void> {
  try {
    await play();
  } catch (failure) {
    await host()?.close().catch(() => undefined);
    throw failure;
  }
  await host()?.close();
}

async function start(starter: Caller, extension: Played, options: HostOptions): Promise<Host> {
  return Host.startFor(starter, typeof extension === "function" ? await extension() : extension, options);
}

function read(file: string | URL): CaseFile {
  const path = file instanceof URL || file.startsWith("file:") ? fileURLToPath(file) : file;
  const named = path === file ? file : relative(process.cwd(), path);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Misuse(`${named} cannot be read: ${(error as Error).message}`);
  }
  let cases: Cases;
  try {
    cases = new native.Cases(named, text);
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
  return { cases, list: cases.list() };
}

function runsOf(values: readonly number[]): readonly number[] {
  return values.length > 0 ? values : [0];
}
