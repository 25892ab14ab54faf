// Fails under vitest, for testing-runners.test.mts.
import { expect, test } from "vitest";
import { Host, testCases } from "extline/testing";
import { ext } from "./weather.mjs";

test("an assertion", () =>
  Host.with(ext, async (host) => {
    expect((await host.call("weather", { city: "Berlin" })).text).toBe("Berlin: rain");
  }));

testCases(new URL("rain.toml", import.meta.url), ext, test);
