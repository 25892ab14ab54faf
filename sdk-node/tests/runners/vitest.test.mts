// Run by vitest, for testing-runners.test.mts.
import { afterEach, expect, test, vi } from "vitest";
import { Host, playCases, testCases } from "extline/testing";
import { ext } from "./weather.mjs";

const CASES = new URL("../../../examples/weather-rust/tests/weather.toml", import.meta.url);

afterEach(() => void vi.useRealTimers());

test("weather", async () => {
  await using host = await Host.start(ext);
  expect((await host.call("weather", { city: "Berlin" })).text).toBe("Berlin: 16°C, fog");
  expect(await host.call("weather", {})).toMatchObject({ isError: true, kind: "validation", field: "/city" });
});

test("with faked timers", async () => {
  vi.useFakeTimers();
  await using host = await Host.start(ext);
  expect((await host.command("weather", "Rome")).prompt).toBe("Show today's weather for Rome in one line.");
});

test("all cases", () => playCases(CASES, ext));

testCases(CASES, ext, test);
