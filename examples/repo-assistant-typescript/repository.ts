// The repository in the project's folder, by way of git, which the host runs.
import { ToolError, type Context } from "extline";

export interface Changed {
  path: string;
  /** Git's letters for how it has changed: `M`, `A`, `??`. */
  state: string;
}

async function git(ctx: Context, ...args: string[]): Promise<string> {
  const ran = await ctx.exec("git", args);
  if (!ran.ok) throw ToolError.conflict(`git ${args[0]}: ${(ran.stderr || ran.stdout).trim()}`);
  return ran.stdout;
}

export async function branchOf(ctx: Context): Promise<string> {
  return (await git(ctx, "branch", "--show-current")).trim() || "a commit that is on no branch";
}

export async function changesOf(ctx: Context, paths: readonly string[] = ["."]): Promise<Changed[]> {
  const text = await git(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--", ...paths);
  const words = text.split("\0").filter((word) => word !== "");
  const changed: Changed[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const state = word.slice(0, 2).trim();
    changed.push({ path: word.slice(3), state });
    // Behind it stands where it was before.
    if (/[RC]/.test(state)) at += 1;
  }
  return changed;
}

/** All that git knows, and what it does not ignore. */
export async function filesOf(ctx: Context): Promise<string[]> {
  const listed = await git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate");
  return listed.split("\0").filter((path) => path !== "");
}

/** The newest commits, the newest first. */
export async function commitsOf(ctx: Context, count: number): Promise<string[]> {
  // A repository without a commit has no log.
  const { ok } = await ctx.exec("git", ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (!ok) return [];
  const log = await git(ctx, "log", `--max-count=${count}`, "--format=%h %s");
  return log.split("\n").filter((line) => line !== "");
}

export async function commit(ctx: Context, subject: string, body: string, paths: readonly string[] = ["."]): Promise<string> {
  await git(ctx, "add", "--all", "--", ...paths);
  const message = ["-m", subject, ...(body === "" ? [] : ["-m", body])];
  await git(ctx, "commit", "--quiet", ...message, "--", ...paths);
  const [made = ""] = await commitsOf(ctx, 1);
  return made;
}
