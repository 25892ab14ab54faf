// docs/typescript/reference.md is what the types and their comments say: `make generate` writes it anew.
import { join } from "node:path";
import { test } from "node:test";
import { PACKAGE, says } from "./repository.mjs";

test("the reference is what the types say", async () => {
  await says("node", [join(PACKAGE, "scripts/reference.mjs")]);
});
