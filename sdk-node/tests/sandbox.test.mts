// What a sandbox forbids, tried in Node.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { install, ROOT, run, scratch } from "./repository.mjs";

const PROGRAM = `
import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { Extension } from "extline";

const ext = new Extension("curious", "1.0.0");
const input = { type: "object", properties: { what: { type: "string" }, path: { type: "string" } } };
ext.tool("attempt", { description: "Tries something.", input }, async ({ what, path }) => {
  if (what === "reach") {
    await new Promise((resolve, reject) => createSocket("udp4").on("error", reject).bind(0, "127.0.0.1", resolve));
  } else if (what === "run") {
    execFileSync(path);
  } else {
    writeFileSync(path, "x");
  }
  return "done";
});
await ext.run();
`;

test("what the sandbox refuses is named in the answer", async (context) => {
  const scene = scratch();
  const status = await run("extline", ["ext", "status", "--json"], { home: join(scene, "home") });
  const { landlock, seccomp } = JSON.parse(status.stdout).sandbox;
  if (!seccomp || (landlock ?? 0) < 3) return context.skip("this kernel cannot do it");
  const folder = join(scene, "curious");
  mkdirSync(folder);
  install(folder);
  writeFileSync(join(folder, "curious.mjs"), PROGRAM);
  const outside = join(scene, "outside.txt");
  const refused = [
    [{ what: "reach" }, "it to open a network socket (permissions.net)"],
    [{ what: "run", path: "/bin/true" }, "it to run /bin/true (permissions.exec)"],
    [{ what: "write", path: outside }, "permissions.fs.write: it writes nothing but its data folder"],
  ] as const;
  for (const limits of [{ net: false, exec: false, fs: { write: [], read: [ROOT] } }, {}]) {
    const manifest = { name: "curious", exec: process.execPath, args: ["curious.mjs"], permissions: limits };
    writeFileSync(join(folder, "extension.json"), JSON.stringify(manifest));
    for (const [args, why] of refused) {
      const words = ["call", folder, "attempt", JSON.stringify(args)];
      const { code, stdout, stderr } = await run("extline", words, { home: join(scene, "home") });
      if ("net" in limits) {
        assert.equal(code, 1, stdout + stderr);
        assert.ok(stderr.includes(why), stderr);
        assert.ok(!existsSync(outside));
      } else if (args.what !== "reach") {
        assert.equal(stdout, "done\n", stderr);
      }
    }
  }
});
