// Builds the kit in TypeScript as its tests start it: its types checked, and one file.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kit = join(dirname(root), "conformance/kit/sdk-node");
node("scripts/link.mjs", kit, "zod", "@types/node");
node("node_modules/typescript/bin/tsc", "-p", kit);
node("scripts/bundle-extension.mjs", join(kit, "src/kit.ts"), join(kit, "dist/kit.js"));

function node(script, ...words) {
  execFileSync(process.execPath, [join(root, script), ...words], { stdio: "inherit" });
}
