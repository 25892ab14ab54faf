// Makes one file of the modules of the package, one of those that only tests load, and one of those for
// agents: reading forty takes Node longer than running them. They are made twice, for `import` and for
// `require`, because each has to wait for the other's loader. Whichever is loaded first, a process has one
// of each class: it leaves the whole where the other finds it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const whole = await bundle("whole.ts", "cjs");
// By its folder: there may be several in a program, of several versions.
const place = "globalThis[Symbol.for(`extline in ${__dirname}`)]";
const made = `${place} ??= (() => {
const module = { exports: {} };
${whole.text}
return module.exports;
})()`;

write("index.mjs", `const __dirname = import.meta.dirname;\nconst whole = ${made};\n${exporting(await namesOf("index.ts"), "whole.index")}`);
write("index.js", `"use strict";\nconst whole = ${made};\nmodule.exports = whole.index;\n`);
write("inside.js", `"use strict";\nrequire("./index.js");\nmodule.exports = ${place}.inside;\n`);

// No start waits for these, so that one is enough.
await writeOnce("testing/index");
await writeOnce("model");

async function writeOnce(module) {
  write(`${module}.js`, (await bundle(`${module}.ts`, "cjs")).text);
  // Imported, it would be searched for its names, which takes Node half as long as its own start.
  const whole = `createRequire(import.meta.url)("./${module.split("/").at(-1)}.js")`;
  const names = exporting(await namesOf(`${module}.ts`), "whole");
  write(`${module}.mjs`, `import { createRequire } from "node:module";\n\nconst whole = ${whole};\n${names}`);
}

function exporting(names, from) {
  return `export const { ${names.join(", ")} } = ${from};\n`;
}

/** The names of the values that a module exports. */
async function namesOf(file) {
  const [output] = Object.values((await bundle(file, "esm")).metafile.outputs);
  return output.exports;
}

async function bundle(file, format) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, "ts", file)],
    outdir: join(root, "dist"),
    bundle: true,
    platform: "node",
    target: "node20.17",
    format,
    write: false,
    metafile: true,
    logLevel: "warning",
    plugins: [{ name: "others", setup: leaveOut }],
  });
  return { text: outputFiles[0].text, metafile };
}

/** What the modules for tests take from elsewhere is found where it stands. */
function leaveOut(build) {
  const elsewhere = ({ path, importer }) => (importer.includes("/testing/") ? { path, external: true } : undefined);
  build.onResolve({ filter: /^\.\.\/(inside\.js|\.\.\/package\.json)$/ }, elsewhere);
}

function write(file, text) {
  const path = join(root, "dist", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
