// The programs of this repository, as a user starts them.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));
export const ROOT = dirname(PACKAGE);
/** Where the programs in Rust are. */
export const BUILT = join(process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target"), "debug");
/** Milliseconds; a bound that only catches hangs. */
const PATIENCE = 300_000;

/** What a program that has ended said. */
export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a user starts a program. */
export interface How {
  /** What is typed. */
  readonly typed?: string;
  /** Where what outlives it is kept. */
  readonly home?: string;
  /** Where it is started. */
  readonly folder?: string;
}

/** A folder that is gone after the tests. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "extline-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes packages known to what is in the folder, in place of `npm install`. */
export function install(folder: string, ...packages: string[]): void {
  execFileSync(process.execPath, [join(PACKAGE, "scripts/link.mjs"), folder, ...packages]);
}

/** Runs a program of this repository, or any other. Tests of a file run beside each other. */
export function run(program: string, args: readonly string[], how: How = {}): Promise<Done> {
  const { typed = "", home = scratch(), folder = ROOT } = how;
  // The first `node` is the one that runs the tests. What tells it that it runs them is not passed on.
  const PATH = [BUILT, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const env = { ...environment, PATH, EXTLINE_HOME: home };
  const child = spawn(program, args, { cwd: folder, env, stdio: "pipe", timeout: PATIENCE });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {}); // it ended without reading
  child.stdin.end(typed);
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** What it prints; it must succeed. */
export async function says(program: string, args: readonly string[], how?: How): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, how);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
