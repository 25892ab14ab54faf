// Runs the compiled tests with this Node. Arguments are files of build/ without their ending, or
// options of `node --test`, as --test-name-pattern=TEXT. The commands that run the examples are built
// first.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

if (process.env["EXTLINE_BUILT"] === undefined) {
  const commands = ["extline-cli", "embed-host"].flatMap((name) => ["--package", name]);
  execFileSync("cargo", ["build", "--locked", "--quiet", ...commands], { cwd: new URL("../..", import.meta.url), stdio: "inherit" });
}

const folder = fileURLToPath(new URL("../build", import.meta.url));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const all = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
const files = names.length > 0 ? names.map((name) => `${name}.test.mjs`) : all;
// A file that never ends would keep all the others from being told of. One at a time: Node takes a second
// and more to start where other tests run beside these, and hosts wait no longer than their time for it.
const bounds = ["--test-concurrency=1", "--test-timeout=900000"];
// This reporter tells what failed once more at the end.
const reporter = options.some((option) => option.startsWith("--test-reporter")) ? [] : ["--test-reporter=spec"];
// A folder as argument would mean other things to other versions of Node.
const ran = spawnSync(process.execPath, ["--test", ...bounds, ...reporter, ...options, ...files], { cwd: folder, stdio: "inherit" });
process.exitCode = ran.status ?? 1;
