// Lays the packages out in npm/ as they are published, which is as @napi-rs/cli does it: one for each
// platform, with the native modules that are beside package.json, and the package itself, which names
// them as optional dependencies of exactly its version. EXTLINE_PLATFORMS has the names of all platforms where the
// modules of some are elsewhere. `npm publish` each folder, npm/extline last.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fields } from "./platform.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { devDependencies, scripts, workspaces, ...whole } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version, license, repository, engines } = whole;
const modules = readdirSync(root).filter((file) => /^extline\..+\.node$/.test(file));
if (modules.length === 0) throw new Error("there is no native module: npm run build");

rmSync(join(root, "npm"), { recursive: true, force: true });
for (const main of modules) {
  const name = main.split(".")[1];
  const description = `The native half of extline for ${name}`;
  const own = { name: `extline-${name}`, version, description, license, repository, engines, ...fields(name) };
  const files = [main, `extline-mcp.${name}.node`, `extline-model.${name}.node`, `extline-testing.${name}.node`];
  stage(name, { ...own, main, files }, files);
}
const platforms = process.env.EXTLINE_PLATFORMS?.split(" ") ?? modules.map((file) => file.split(".")[1]);
const optionalDependencies = Object.fromEntries(platforms.map((name) => [`extline-${name}`, version]));
stage("extline", { ...whole, files: ["dist"], optionalDependencies }, ["dist", "README.md"]);

function stage(folder, manifest, files) {
  const target = join(root, "npm", folder);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const file of files) cpSync(join(root, file), join(target, file), { recursive: true });
}
