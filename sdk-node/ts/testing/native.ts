/** The native half of the testing host, as testing/src declares it. Private to the package. */

import { load } from "../inside.js";

/** Why a step cannot be done: the name of its class, and what was wrong. */
export interface StepFailure {
  readonly kind: "TimedOut" | "Ended" | "Unusable" | "Misuse" | "HandlerFailed";
  readonly text: string;
}

/** A step of a test, with the names of the wire. */
export type Step =
  | readonly ["start" | "settle" | "shutdown" | "check_handlers" | "pending"]
  | readonly ["resolve", action: string, reason: string]
  | readonly ["wait_until", what: string]
  | readonly ["call" | "begin", tool: string, args: object]
  | readonly ["call_with_key" | "reconcile", operationKey: string, tool: string, args: object]
  | readonly ["finish" | "next_update" | "cancel", call: number]
  | readonly ["command", name: string, typed: string]
  | readonly ["event", name: string, payload: object]
  | readonly ["change_config", config: object]
  | readonly ["intercept", point: string, payload: object]
  | readonly ["request", method: string, params?: unknown]
  | readonly ["press_key", panel: string, key: string]
  | readonly ["resize_panel", panel: string, columns: number, lines: number]
  | readonly ["close_panel", panel: string];

/** What a look at a step found: one of the three. */
export interface Looked {
  readonly wait?: number;
  readonly found?: string;
  readonly failure?: StepFailure;
}

/** What the extension asks of the test. */
export interface Asked {
  readonly serial: number;
  readonly isMethod: boolean;
  readonly name: string;
  readonly json: string;
}

/** What a test does is a step, known by a number; steps and what they find cross as JSON. */
export interface HostSteps {
  deadline: number;
  step(step: string): number;
  look(step: number, hasBegun: boolean, isCalm: boolean): Looked;
  dropStep(step: number): void;
  handleInput(bytes: Uint8Array): void;
  handleEnd(how: string, code?: number): void;
  handleFailure(text: string): void;
  pollOutput(): Buffer | null;
  /** What the extension keeps, JSON text. */
  state(): string;
  noteSent(bytes: Uint8Array): void;
  pollTold(): { readonly list: string; readonly json: string } | null;
  pollAsked(): Asked | null;
  answerCall(asked: number, content: string, isError: boolean): void;
  failCall(asked: number, text: string): void;
  answerRequest(asked: number, result: string): void;
  refuseRequest(asked: number, kind: string, message: string): void;
  sendPart(asked: number, part: string): void;
  forgetStandIns(): void;
  readonly tools: string;
  readonly commands: string;
  readonly subscription: string;
  readonly ended: string | null;
  lines(start: number): { readonly side: "host" | "extension"; readonly json: string }[];
  tail(): string;
}

export interface CaseInfo {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly isShared: boolean;
  readonly values: number[];
}

export interface Cases {
  list(): CaseInfo[];
}

/** Is told bytes for the extension, or the end: the trouble there was, and whether it is the test's mistake. */
export type Tell = (bytes: Uint8Array | null, trouble: string | null, isMistake: boolean) => void;

export interface Playing {
  handleInput(bytes: Uint8Array): void;
  handleEnd(how: string): void;
}

interface Native {
  readonly HostSteps: new (options: string) => HostSteps;
  readonly Cases: new (file: string, text: string) => Cases;
  readonly Playing: new (
    cases: Cases,
    number: number,
    value: number,
    host: HostSteps,
    prefix: string,
    tell: Tell,
  ) => Playing;
}

export const native = load("extline-testing") as Native;
