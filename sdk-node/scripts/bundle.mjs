// Puts the compiled modules into one file: reading forty takes Node longer than running them. Each
// stays where it was as a line that takes it out of there, so that there is one of each, whoever
// asks: the package, its subpaths, the tests.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist");
const files = readdirSync(dist, { recursive: true }).map((file) => file.split(sep).join("/"));
const modules = files.filter((file) => file.endsWith(".js")).sort();

// Only what is asked for is run.
const all = modules.map((file) => `get ${JSON.stringify(file)}() { return require("./${file}"); }`);
await build({
  stdin: { contents: `module.exports = { ${all.join(",\n")} };`, resolveDir: dist },
  outfile: join(dist, "bundle.js"),
  bundle: true,
  platform: "node",
  target: "node20.17",
  format: "cjs",
  logLevel: "warning",
});
// Node finds no names behind such a line by itself, so the ES modules say them.
for (const file of files.filter((file) => file.endsWith(".mjs"))) {
  const of = file.replace(/\.mjs$/, ".js");
  const names = exportsOf(readFileSync(join(dist, of), "utf8"));
  write(file, `import all from "./${posix.basename(of)}";\nexport const { ${names.join(", ")} } = all;\n`);
}
for (const file of modules) {
  const up = "../".repeat(file.split("/").length - 1) || "./";
  // In two steps: behind `module.exports = require(...)` Node reads the whole bundle for names, which
  // takes it half as long as its own start.
  write(file, `"use strict";\nconst bundle = require("${up}bundle.js");\nmodule.exports = bundle["${file}"];\n`);
}

/** The names that a module exports, as the compiler writes them. */
function exportsOf(compiled) {
  const found = compiled.matchAll(/\bexports(?:\.(\w+) =|, "(\w+)")/g);
  return [...new Set(Array.from(found, ([, set, defined]) => set ?? defined))].filter((name) => name !== "__esModule");
}

function write(file, text) {
  writeFileSync(join(dist, file), text);
}
