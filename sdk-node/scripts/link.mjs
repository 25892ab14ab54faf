// Makes the package, and packages that it is tested with, known to what is in a folder, as
// `npm install` would: node link.mjs FOLDER PACKAGE...
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [folder, ...packages] = process.argv.slice(2);
link("extline", root);
for (const name of packages) link(name, join(root, "node_modules", name));

function link(name, target) {
  if (!existsSync(target)) throw new Error(`${target} is missing: run npm ci in ${root}`);
  const path = resolve(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path, "junction");
}
