// What `extline new` writes in TypeScript and JavaScript: it runs, its test passes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { install, PACKAGE, run, says, scratch } from "./repository.mjs";

for (const lang of ["typescript", "javascript"]) {
  describe(`extline new --lang ${lang}`, { concurrency: 2 }, async () => {
    const folder = scratch();
    const printed = await says("extline", ["new", "hi-node", "--lang", lang], { folder });
    const made = join(folder, "hi-node");
    // In place of npm, which would build the package once more.
    install(made, "tsx", "zod", "typescript", "@types/node");

    test("says what to do next", () => {
      const build = `(cd ${PACKAGE} && npm ci && npm run build) && npm install --prefix hi-node\n`;
      assert.ok(printed.includes(build), printed);
    });

    test("runs from any folder", async () => {
      const call = (who: string) => run("extline", ["call", made, "greet", JSON.stringify({ who })], { folder });
      assert.equal((await call("you")).stdout, "Hello, you!\n");
      assert.equal((await call(" ")).code, 1);
      const commanded = await says("extline", ["command", made, "hi-node", "Ada"], { folder });
      assert.equal(commanded, "prompt: Greet Ada in one line.\n");
    });

    test("its own test passes", async () => {
      assert.match(await says("npm", ["test"], { folder: made }), /^(#|ℹ) pass 1$/m);
      if (lang === "typescript") await says("node", [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", made]);
    });

    test("a host finds nothing to say", async () => {
      const found = JSON.parse(await says("extline", ["inspect", "--json", made]));
      assert.deepEqual(found.notices, []);
    });
  });
}
