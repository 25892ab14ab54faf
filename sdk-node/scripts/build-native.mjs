// Builds the native modules with cargo and puts them beside package.json, where the package looks for
// them first: `extline.linux-x64-gnu.node`, and `extline-testing.linux-x64-gnu.node`, which only tests
// load. With --debug they are built for debugging.
import { execFileSync } from "node:child_process";
import { copyFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platform } from "./platform.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const options = process.argv.includes("--debug") ? [] : ["--release"];
const modules = { extline: "extline-node", "extline-testing": "extline-node-testing" };
const built = cargo(Object.values(modules), options);
for (const [module, crate] of Object.entries(modules)) {
  const target = join(root, `${module}.${platform()}.node`);
  // In one step, and as a new file: a process may have the old one loaded.
  copyFileSync(built[crate], `${target}.new`);
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
