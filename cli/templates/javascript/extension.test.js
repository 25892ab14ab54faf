const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Host } = require("extline/testing");
const { ext } = require("./extension.js");

test("it greets by name", () =>
  Host.with(ext, async (host) => {
    assert.equal((await host.call("greet", { who: "Ada" })).text, "Hello, Ada!");
    assert.equal((await host.call("greet", { who: " " })).field, "/who");
    assert.equal((await host.command("{{name}}", "Ada")).prompt, "Greet Ada in one line.");
  }));
