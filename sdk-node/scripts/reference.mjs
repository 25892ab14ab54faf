// docs/typescript/reference.md, made from the types and their comments by typedoc. With
// EXTLINE_GENERATE set it is written; else it must be what it would be written as.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tools = join(root, "reference");
const page = join(root, "../docs/typescript/reference.md");

const made = make();
if (process.env.EXTLINE_GENERATE) {
  writeFileSync(page, made);
} else if (!existsSync(page) || readFileSync(page, "utf8") !== made) {
  console.error("docs/typescript/reference.md is not what the types say: make generate");
  process.exitCode = 1;
}

function make() {
  const out = mkdtempSync(join(tmpdir(), "extline-reference-"));
  try {
    const typedoc = join(tools, "node_modules/typedoc/bin/typedoc");
    execFileSync(process.execPath, [typedoc, "--out", out], { cwd: tools, stdio: "inherit" });
    const module = (file, name) => `\n## \`${name}\`\n${brief(readFileSync(join(out, file), "utf8"))}`;
    return (
      "# Reference of the TypeScript package\n\n" +
      "Made from the types and their comments: `make generate` writes it anew. " +
      "[guide.md](guide.md) begins from nothing.\n" +
      module("index.md", "extline") +
      module("testing.md", "extline/testing") +
      module("model.md", "extline/model")
    );
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** Without what its signatures say already, or another entry of the page. */
function brief(text) {
  const sections = text.replace(/^# .*\n/, "").split(/^(?=#{2,6} )/m);
  const kept = [];
  let inherited = 0; // the level of an entry that is told where it comes from
  for (const section of sections) {
    const [, marks, title] = /^(#+) (.*)/.exec(section) ?? [undefined, "", ""];
    const level = marks.length;
    if (inherited > 0 && (level === 0 || level > inherited)) continue;
    inherited = 0;
    if (["Returns", "Inherited from", "Overrides", "Extended by"].includes(title) && level > 3) continue;
    if (isInherited(sections, section, level)) {
      inherited = level;
      continue;
    }
    if (title === "Parameters" && !section.includes("Description")) continue;
    kept.push(title === "Get Signature" ? section.replace(/^.*\n\n/, "") : tidied(section));
  }
  return kept
    .join("")
    .replace(/^(#{2,5}) /gm, "#$1 ")
    .replace(/<a id="([^"]*)"><\/a> /g, "")
    .replace(/\]\((?:index|model|testing)\.md#[^)]*\)/g, "]")
    .replace(/\]\(#[^)]*\)/g, "]")
    .replace(/\[(`[^`]+`)\]/g, "$1")
    .replace(/^\*\*\*\n\n?/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()
    .concat("\n");
}

/** Whether what stands under that heading is a member that another entry of the page has. */
function isInherited(sections, section, level) {
  if (level < 5) return false;
  for (let at = sections.indexOf(section) + 1; at < sections.length; at++) {
    const [, marks, title] = /^(#+) (.*)/.exec(sections[at]);
    if (marks.length <= level) return false;
    if (title === "Inherited from") return true;
  }
  return false;
}

/** A table without the rows that are inherited, and without the column that would say so. */
function tidied(section) {
  if (!section.includes("| Inherited from |")) return section;
  let isGone = false; // so are the members of a member
  const lines = section.split("\n").filter((line) => {
    if (!/^\| `\w+\./.test(line)) isGone = /\| \[`\w+`\]\([^|]*\|$/.test(line);
    return !isGone;
  });
  return lines.map((line) => (line.startsWith("|") ? line.replace(/\|[^|]*\|$/, "|") : line)).join("\n");
}
