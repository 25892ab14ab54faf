// Builds the native modules with cargo and puts them beside package.json, where the package looks for
// them first: `extline.linux-x64-gnu.node`, `extline-testing.linux-x64-gnu.node`, which only tests load,
// `extline-model.linux-x64-gnu.node`, which agents load, and `extline-mcp.linux-x64-gnu.node`, the larger one for an extension that is an MCP server. With
// --debug the first two are built for debugging, and the first can be both; with --debug-others it is
// optimized as in a release, and the others are not, which takes a third of the time.
import { execFileSync } from "node:child_process";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platform } from "./platform.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const optimized = ["--profile", "module"];
const modules = { extline: "extline-node", "extline-model": "extline-node-model", "extline-testing": "extline-node-testing" };
if (process.argv.includes("--debug")) {
  const built = cargo(Object.values(modules), []);
  for (const [module, crate] of Object.entries(modules)) place(module, built[crate]);
  rmSync(join(root, `extline-mcp.${platform()}.node`), { force: true });
} else if (process.argv.includes("--debug-others")) {
  const built = cargo(Object.values(modules), []);
  place("extline-model", built["extline-node-model"]);
  place("extline-testing", built["extline-node-testing"]);
  place("extline-mcp", built["extline-node"]);
  place("extline", cargo(["extline-node"], optimized)["extline-node"]);
} else {
  // Each alone: with the other, a module has features of its dependencies that it does not use.
  for (const [module, crate] of Object.entries(modules)) place(module, cargo([crate], optimized)[crate]);
  place("extline-mcp", cargo(["extline-node"], [...optimized, "--features", "mcp"])["extline-node"]);
}

function place(module, file) {
  const target = join(root, `${module}.${platform()}.node`);
  // In one step, and as a new file: a process may have the old one loaded.
  copyFileSync(file, `${target}.new`);
  renameSync(`${target}.new`, target);
}

/** The libraries that cargo made, by their crates. */
function cargo(crates, options) {
  // What scripts/test.py has built for debugging with everything else is asked for with everything else:
  // a part alone has other features of its dependencies, and would be built anew.
  const isBuilt = process.env["EXTLINE_BUILT"] !== undefined && options.length === 0;
  const parts = isBuilt ? ["--workspace", "--all-targets"] : crates.flatMap((crate) => ["--package", crate]);
  const args = ["build", "--locked", ...parts, ...options];
  const messages = execFileSync("cargo", [...args, "--message-format", "json-render-diagnostics"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const made = messages.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  // With all targets there is a program of its tests too, which has none.
  const library = (crate) => {
    const of = (message) => message.reason === "compiler-artifact" && message.target.name === crate.replaceAll("-", "_");
    const file = made.filter(of).flatMap((message) => message.filenames).find((name) => /\.(so|dylib|dll)$/.test(name));
    if (file === undefined) throw new Error(`cargo built no library of the package ${crate}`);
    return [crate, file];
  };
  return Object.fromEntries(crates.map(library));
}
