// Builds the kit in TypeScript as its tests start it: its types checked, and one file with zod in it. The tester
// starts it some hundreds of times, and zod's many files take a third of each start.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kit = join(dirname(root), "conformance/kit/sdk-node");
node("scripts/link.mjs", kit, "zod", "@types/node");
node("node_modules/typescript/bin/tsc", "-p", kit);
await build({
  entryPoints: [join(kit, "src/kit.ts")],
  outfile: join(kit, "dist/kit.js"),
  bundle: true,
  platform: "node",
  format: "esm",
  external: ["extline"],
  logLevel: "warning",
});

function node(script, ...words) {
  execFileSync(process.execPath, [join(root, script), ...words], { stdio: "inherit" });
}
