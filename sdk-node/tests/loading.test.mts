// How the package is loaded: by `import` and by `require`, and its native half from wherever it was put.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));
const [NATIVE = ""] = readdirSync(PACKAGE).filter((file) => /^extline\..*\.node$/.test(file));
const platform = NATIVE.split(".")[1];
const root = mkdtempSync(join(tmpdir(), "extline-test-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** Runs a module in a folder. */
function run(folder: string, source: string) {
  writeFileSync(join(folder, "program.mjs"), source);
  const env = { ...process.env, EXTLINE_STDIO: "leave" };
  return spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8", env });
}

/** A folder with the package, its native half left out. */
function install(name: string): string {
  const folder = join(root, name);
  const installed = join(folder, "node_modules", "extline");
  mkdirSync(installed, { recursive: true });
  for (const part of ["dist", "package.json"]) cpSync(join(PACKAGE, part), join(installed, part), { recursive: true });
  return folder;
}

/** Puts the native half there, or something in its place, as the package of a platform is installed. */
function installNative(into: string, content?: string): void {
  const folder = join(into, `node_modules/extline-${platform}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: `extline-${platform}`, version: "0.1.0" }));
  if (content === undefined) symlinkSync(join(PACKAGE, NATIVE), join(folder, NATIVE));
  else writeFileSync(join(folder, NATIVE), content);
}

const USES = 'import { Extension } from "extline"; console.log(new Extension("x", "1").name);';

test("imported and required, a process has one of each class, whichever was first", () => {
  const imported = 'const imported = await import("extline");';
  const required = 'const required = createRequire(import.meta.url)("extline");';
  for (const both of [imported + required, required + imported]) {
    const { stdout, stderr } = run(
      linked(),
      `import { createRequire } from "node:module";
      ${both}
      const same = Object.keys(imported).filter((name) => imported[name] === required[name]);
      console.log(JSON.stringify([same, Object.keys(required).sort()]));
      await import("extline/testing");
      new required.Extension("x", "1");`,
    );
    assert.equal(stderr, "");
    const [same, all] = JSON.parse(stdout) as [string[], string[]];
    assert.deepEqual(same, all);
    assert.ok(all.includes("Extension") && all.includes("ToolError"), `${all}`);
  }
});

test("two installed packages are two", () => {
  const other = install("other");
  installNative(other);
  const { stdout, stderr } = run(
    linked(),
    `const here = await import("extline");
    const there = await import(${JSON.stringify(join(other, "node_modules/extline/dist/index.mjs"))});
    console.log(here.Extension === there.Extension, new there.Extension("x", "1").name);`,
  );
  assert.equal(stderr, "");
  assert.equal(stdout, "false x\n");
});

/** A folder with a link to the package as it was built. */
function linked(): string {
  const folder = mkdtempSync(join(root, "linked-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKAGE, join(folder, "node_modules/extline"));
  return folder;
}

test("the native half is found beside the package, within it, and wherever packages are found", () => {
  const beside = install("beside");
  installNative(beside);
  const within = install("within");
  installNative(join(within, "node_modules/extline"));
  const above = install("above/below");
  installNative(join(root, "above"));
  for (const folder of [beside, within, above]) {
    const { stdout, stderr } = run(folder, USES);
    assert.equal(stderr, "", folder);
    assert.equal(stdout, "x\n");
  }
});

test("without its native half it says which is missing, and of a broken one what is wrong", () => {
  const missing = run(install("missing"), USES).stderr;
  assert.match(missing, new RegExp(`extline has no native module for ${platform}\\. Install it again`));
  const broken = install("broken");
  installNative(broken, "nothing that could be loaded");
  const { stderr } = run(broken, USES);
  assert.match(stderr, new RegExp(`no native module for ${platform}: extline-${platform}/${NATIVE}: .*Install it again`));
  assert.match(stderr, /file too short|invalid ELF header|not a mach-o file|not a valid/);
});

test("its start waits for no module of Node's that a program without it has not loaded", () => {
  const list = 'process._rawDebug(process.moduleLoadList.filter((name) => name.startsWith("NativeModule ")).join("\\n"));';
  const loaded = (source: string) => run(linked(), source).stderr.split("\n");
  const bare = new Set(loaded(`process.once("SIGINT", () => {}); void import.meta.url; ${list}`));
  const more = loaded(
    `import { Extension } from "extline";
    const ext = new Extension("x", "1");
    ext.tool("echo", { description: "x", input: { type: "object", properties: { text: { type: "string" } } } }, ({ text }) => text);
    void ext.run(import.meta);
    ${list}
    process.reallyExit(0);`,
  ).filter((name) => !bare.has(name));
  assert.deepEqual(more, []);
});
