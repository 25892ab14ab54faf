// Builds the native module with cargo and puts it beside package.json, where the package looks for
// it first: `extline.linux-x64-gnu.node`. With --debug it is built for debugging.
import { execFileSync } from "node:child_process";
import { copyFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platform } from "./platform.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = cargo(process.argv.includes("--debug") ? [] : ["--release"]);
const target = join(root, `extline.${platform()}.node`);
// In one step, and as a new file: a process may have the old one loaded.
copyFileSync(built, `${target}.new`);
renameSync(`${target}.new`, target);

/** The library that cargo made. */
function cargo(options) {
  const args = ["build", "--locked", "--package", "extline-node", ...options];
  const messages = execFileSync("cargo", [...args, "--message-format", "json-render-diagnostics"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for (const line of messages.split("\n").filter(Boolean)) {
    const message = JSON.parse(line);
    if (message.reason === "compiler-artifact" && message.target.name === "extline_node") {
      return message.filenames.find((name) => /\.(so|dylib|dll)$/.test(name));
    }
  }
  throw new Error("cargo built no library of the package extline-node");
}
