// Looks after a git repository: what has changed, notes, edits, commits, change requests.
import { Extension, ToolError, ToolResult, view } from "extline";
import { z } from "zod";
import { diffOf, replacing, write } from "./edits.ts";
import { openRequest } from "./forge.ts";
import { branchOf, changesOf, commit, commitsOf } from "./repository.ts";

export const ext = new Extension("repo-assistant", "1.0.0");

/** Characters of a diff that stand with a pending action; the result has all of it. */
const SUMMARY = 10_000;

const settings = ext.config(
  z.object({ forge_url: z.string().default(""), base: z.string().default("main"), commits: z.number().int().default(5) }),
);

ext.tool(
  "repo_status",
  {
    description: "The branch, the files that have changed, the newest commits, and the notes for the next one.",
    readOnly: true,
  },
  async (_, ctx) => {
    const [branch, changes] = [await branchOf(ctx), await changesOf(ctx)];
    const structured = {
      branch,
      changes,
      commits: await commitsOf(ctx, settings.commits),
      notes: (await ctx.state.session.get<string[]>("notes")) ?? [],
    };
    const rows = changes.map(({ path, state }) => [state, path]);
    return new ToolResult(undefined, { structured, view: view.table(["", "file"], rows, { title: `On ${branch}` }) });
  },
);

ext.tool(
  "repo_note",
  {
    description: "Notes what was done, for the message of the next commit. Notes belong to the conversation.",
    input: z.object({ text: z.string().describe("one thing, in a sentence") }),
  },
  async ({ text }, ctx) => listed(await ctx.state.session.modify<string[]>("notes", (notes) => [...(notes ?? []), text])),
);

ext.tool(
  "repo_replace",
  {
    description:
      "Proposes to put a text in the place of another, in all files. Nothing is written before that is applied.",
    input: z.object({
      old: z.string().min(1).regex(/^.*$/).describe("the text that is there, of one line"),
      new: z.string().regex(/^.*$/).describe("the text to stand in its place, of one line"),
    }),
  },
  async ({ old, new: now }, ctx) => {
    const edits = await replacing(ctx, old, now);
    if (edits.length === 0) throw ToolError.notFound(`no file has '${old}'`, { field: "/old" });
    const apply = () => {
      write(ctx, edits);
      return `wrote ${counted(edits.length)}`;
    };
    const diff = edits.map(diffOf).join("\n");
    const label = `${counted(edits.length)}: ${old} becomes ${now}`;
    await ctx.pending.push({ label, apply, summary: diff.slice(0, SUMMARY) });
    return new ToolResult(diff, { view: view.diff(diff) });
  },
);

ext.tool(
  "repo_commit",
  {
    description: "Commits what has changed, once the person says so. The notes become the body of the message.",
    input: z.object({
      subject: z.string().describe("what the commit does, in a line"),
      paths: z.array(z.string()).optional().describe("the files; all that have changed where nothing is said"),
    }),
  },
  async ({ subject, paths }, ctx) => {
    const changes = await changesOf(ctx, paths);
    if (changes.length === 0) throw new ToolError("nothing has changed", paths === undefined ? {} : { field: "/paths" });
    const notes = (await ctx.state.session.get<string[]>("notes")) ?? [];
    const message = changes.map(({ path, state }) => `${state} ${path}`).join("\n");
    if (!(await ctx.ui.confirm(`Commit to ${await branchOf(ctx)}: ${subject}?`, { message }))) {
      return "not committed: the person does not want it";
    }
    const made = await commit(ctx, subject, listed(notes), paths);
    await ctx.state.session.delete("notes");
    return made;
  },
);

ext.tool(
  "repo_request",
  {
    description: "Opens a change request for the present branch at the forge, once the person says so.",
    input: z.object({ title: z.string().describe("what the branch does, in a line") }),
    openWorld: true,
  },
  async ({ title }, ctx) => {
    const { forge_url: url, base } = settings;
    const branch = await branchOf(ctx);
    if (branch === base) {
      const hint = `commit on another branch, and ask for a change of ${base}`;
      throw new ToolError(`${branch} is the branch that is to be changed`, { hint });
    }
    const message = `${title}\n${branch} into ${base}`;
    if (!(await ctx.ui.confirm(`Open a change request at ${url}?`, { message }))) {
      return "not opened: the person does not want it";
    }
    const token = await ctx.secret("forge_token", { purpose: "to open a change request" });
    return openRequest(url, token, { title, head: branch, base }, ctx.signal);
  },
);

// Nobody's push overwrites what others have pushed, whichever tool it comes from.
ext.guard("no-force", (call) => {
  const { command, args } = call.args as { command?: unknown; args?: unknown };
  const words = new Set<unknown>([...String(command).split(/\s+/), ...(Array.isArray(args) ? args : [])]);
  if (words.has("git") && words.has("push") && (words.has("--force") || words.has("-f"))) {
    return call.block("a push with --force overwrites what others have pushed: use --force-with-lease");
  }
  return undefined;
});

function counted(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

function listed(notes: readonly string[]): string {
  return notes.map((note) => `- ${note}`).join("\n");
}

await ext.run(import.meta);
