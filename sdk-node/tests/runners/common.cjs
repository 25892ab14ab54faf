// Run by node:test as CommonJS, for testing-runners.test.mts.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Extension } = require("extline");
const { Host } = require("extline/testing");

const ext = new Extension("hello", "1.0.0");
ext.tool("hello", { description: "Says hello." }, () => "hello");

test("hello", async () => {
  const host = await Host.start(ext);
  assert.equal((await host.call("hello")).text, "hello");
  console.log("printed by the test");
  await host.close();
});
