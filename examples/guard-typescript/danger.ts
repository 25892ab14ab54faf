/** Why a command line must not run. It reads words, quotes and operators, and expands nothing. */
import { posix } from "node:path";
import { commands } from "./shell.ts";

export const DELETES = "this deletes the root, a system folder or a home; name the folder below it";
export const ERASES = "this writes over a disk; ask the user";
export const RUNS_DOWNLOAD = "this runs a download; save it and read it first";
export const FORCES_PUSH = "this overwrites what others pushed; use --force-with-lease";

const SHELLS = new Set(["bash", "dash", "fish", "ksh", "node", "python", "python3", "sh", "zsh"]);
const DOWNLOADS = new Set(["curl", "wget"]);
const WRITERS = new Set(["cp", "dd", "tee", "wipefs"]);
const HOMES = /^(~[^/]*|\$\{?HOME\}?|\/(home|Users)(\/[^/]*)?)$/;
const DEVICE = /^(of=)?\/dev\/(sd|nvme|vd|hd|disk|mmcblk)\w*$/;

/** The reason, with what to do instead; undefined for a harmless line. */
export function danger(line: string): string | undefined {
  let downloads = false; // whether a program before this one in the pipe does
  for (const { before, words } of commands(line)) {
    downloads &&= before === "|" || before === "|&";
    if (before.startsWith(">") && DEVICE.test(words[0]!)) return ERASES;
    // Behind `sudo -u root` or `timeout 5` too: any word may name the program.
    for (const [at, word] of words.entries()) {
      const reason = dangerOf(posix.basename(word), words.slice(at + 1), downloads);
      if (reason) return reason;
    }
    downloads ||= DOWNLOADS.has(posix.basename(words[0]!));
  }
  return undefined;
}

function dangerOf(program: string, words: string[], downloads: boolean): string | undefined {
  const options = words.filter((word) => word.startsWith("-"));
  if (program === "rm" && options.some((option) => isFlag(option, "rR", "--recursive"))) {
    if (words.some(isRoot)) return DELETES;
  }
  if (program.startsWith("mkfs") || WRITERS.has(program)) {
    if (words.some((word) => DEVICE.test(word))) return ERASES;
  }
  if (SHELLS.has(program)) {
    if (downloads && words.every((word) => word.startsWith("-"))) return RUNS_DOWNLOAD;
    const at = words.findIndex((word) => isFlag(word, "c"));
    const script = at < 0 ? undefined : words[at + 1];
    if (script !== undefined) return danger(script);
  }
  if (program === "git" && words.includes("push")) {
    if (words.some((word) => isFlag(word, "f", "--force") || word.startsWith("+"))) return FORCES_PUSH;
  }
  return undefined;
}

/** Whether it is that long option, or one of the letters as in `-rf`. */
function isFlag(option: string, letters: string, long?: string): boolean {
  return option === long || new RegExp(`^-[A-Za-z]*[${letters}][A-Za-z]*$`).test(option);
}

function isRoot(word: string): boolean {
  const path = posix.normalize(word.replace(/\*+$/, "")).replace(/(?<=.)\/$/, "");
  return HOMES.test(path) || (path !== "/tmp" && /^\/[^/]*$/.test(path));
}
