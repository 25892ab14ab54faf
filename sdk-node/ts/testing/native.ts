/** The native half of the testing host, as testing/src declares it. Private to the package. */

import { load } from "../inside.js";

/** Something that the session has said of the extension. */
export interface Seen {
  name: string;
  /** Of the call that it belongs to, or 0. */
  serial: number;
  json: string;
}

export interface HostSession {
  readonly cancels: boolean;
  readonly asksInPhases: boolean;
  hasEvent(name: string): boolean;
  hasPoint(name: string): boolean;
  handleInput(bytes: Uint8Array): void;
  handleEnd(how: string): void;
  pollOutput(): Buffer | null;
  pollEvent(): Seen | null;
  callTool(name: string, args: string, timeoutMs?: number): number;
  invokeCommand(name: string, args: string): number;
  intercept(frame: string): number;
  request(method: string, params?: string): number;
  cancel(serial: number, reason: string): void;
  tell(frame: string): void;
  answerCall(serial: number, frame: string): void;
  answerRequest(serial: number, result: string): void;
  refuseRequest(serial: number, kind: string, message: string): void;
  sendPart(serial: number, number: number, part: string): void;
  shutdown(): void;
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

export interface PlayOptions {
  value: number;
  deadline: number;
  prefix: string;
  tools: string[];
  commands: string[];
  events: string[];
  points: string[];
}

/** Is told bytes for the extension, or the end: the trouble there was, and whether it is the test's mistake. */
export type Tell = (bytes: Uint8Array | null, trouble: string | null, isMistake: boolean) => void;

export interface Playing {
  handleInput(bytes: Uint8Array): void;
  handleEnd(how: string): void;
}

interface Native {
  readonly HostSession: {
    new (ack: string, profile: string): HostSession;
    /** What is wrong with a structured result by the output schema of its tool; both are JSON. */
    outputProblem(schema: string, value: string): string | null;
  };
  readonly Cases: new (file: string, text: string) => Cases;
  readonly Playing: new (cases: Cases, number: number, options: PlayOptions, tell: Tell) => Playing;
}

export const native = load("extline-testing") as Native;
