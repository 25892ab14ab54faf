import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "extline/testing";
import { ext } from "./extension.ts";

test("it greets by name", () =>
  Host.with(ext, async (host) => {
    assert.equal((await host.call("greet", { who: "Ada" })).text, "Hello, Ada!");
    assert.equal((await host.call("greet", { who: " " })).field, "/who");
    assert.equal((await host.command("{{name}}", "Ada")).prompt, "Greet Ada in one line.");
  }));
