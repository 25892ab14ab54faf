// Makes one file of an extension in TypeScript, as docs/typescript/guide.md says of bundlers:
// node bundle-extension.mjs SOURCE FILE. The tester starts an extension some hundreds of times; tsx, and packages of
// many files as zod, take longer at each start than what comes out of this.
import { build } from "esbuild";

const [source, file] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node bundle-extension.mjs SOURCE FILE");
  process.exit(2);
}
const bundled = build({
  entryPoints: [source],
  outfile: file,
  bundle: true,
  platform: "node",
  format: "esm",
  external: ["extline"],
  logLevel: "warning",
});
await bundled.catch(() => (process.exitCode = 1)); // the bundler has said why
