/**
 * A host in the same process, for tests of an extension; works with node:test, vitest and others.
 *
 * ```ts
 * import { test } from "node:test";
 * import { Host } from "extline/testing";
 * import { ext } from "./weather.ts";
 *
 * test("weather", async () => {
 *   await using host = await Host.start(ext);
 *   assert.equal((await host.call("weather", { city: "Berlin" })).text, "Berlin: 16°C, fog");
 * });
 * ```
 *
 * The extension runs in the event loop of the test, with the native session that a real host would
 * meet; only its stdin and stdout are missing. A step that cannot be done rejects with a `Failure`,
 * which shows the last frames; `host.transcript` has them all.
 *
 * @packageDocumentation
 */

import { giveBack } from "../inside.js";

giveBack();

export { Answer, CommandAnswer, MethodAnswer, Ruling } from "./answers.js";
export type { CommandFrame, DecisionFrame, ResultFrame, UpdateFrame } from "./answers.js";
export { playCases, testCases } from "./cases.js";
export type { DefineTest, Played } from "./cases.js";
export { CaseFailed, Ended, Failure, HandlerFailed, Misuse, TimedOut, Unusable } from "./failure.js";
export { Call, Host } from "./host.js";
export type { MomentPayload, PendingAction } from "./host.js";
export type { DialogAnswers, GivenState, HostOptions } from "./options.js";
export type { LogLine, Note, Registered, ShownPanel, Subscription, Unwanted } from "./seen.js";
export type { MethodStandIn, ToolStandIn } from "./stand-ins.js";
export { Line, Transcript } from "./transcript.js";
export type { Side, WireFrame } from "./transcript.js";
