// Puts the compiled modules into one file, and those that only tests load into a second one: reading
// forty takes Node longer than running them. Each stays where it was as a line that takes it out of
// there, so that there is one of each, whoever asks: the package, its subpaths, the tests.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist");
const files = readdirSync(dist, { recursive: true }).map((file) => file.split(sep).join("/"));
const modules = files.filter((file) => file.endsWith(".js")).sort();

const isForTests = (file) => file.startsWith("testing/");
await bundle("bundle.js", modules.filter((file) => !isForTests(file)));
await bundle("testing-bundle.js", modules.filter(isForTests));

async function bundle(name, modules) {
  // Only what is asked for is run.
  const all = modules.map((file) => `get ${JSON.stringify(file)}() { return require("./${file}"); }`);
  await build({
    stdin: { contents: `module.exports = { ${all.join(",\n")} };`, resolveDir: dist },
    outfile: join(dist, name),
    bundle: true,
    platform: "node",
    target: "node20.17",
    format: "cjs",
    logLevel: "warning",
    plugins: [{ name: "others", setup: (build) => build.onResolve({ filter: /^\.{1,2}\// }, leaveOut(modules)) }],
  });
}

/** What is not in this bundle is found where it stands. */
function leaveOut(modules) {
  return ({ path, resolveDir }) => {
    const file = relative(dist, join(resolveDir, path)).split(sep).join("/");
    return modules.includes(file) ? undefined : { path: file.startsWith("../") ? file : `./${file}`, external: true };
  };
}

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
  write(file, `"use strict";\nconst bundle = require("${up}${isForTests(file) ? "testing-bundle.js" : "bundle.js"}");\nmodule.exports = bundle["${file}"];\n`);
}

/** The names that a module exports, as the compiler writes them. */
function exportsOf(compiled) {
  const found = compiled.matchAll(/\bexports(?:\.(\w+) =|, "(\w+)")/g);
  return [...new Set(Array.from(found, ([, set, defined]) => set ?? defined))].filter((name) => name !== "__esModule");
}

function write(file, text) {
  writeFileSync(join(dist, file), text);
}
