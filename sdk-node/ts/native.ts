/**
 * The native half, as src/ declares it. Private to the package: names and order are those of the Rust
 * code. Serials, indices and times are numbers; JSON crosses as text.
 */

import { load } from "./load.js";

/** What the native half tells, by number; the comments name `text`, `more` and the others. */
export const enum Kind {
  /** number: index of the tool; text: arguments; more: session; deadline; flag: is cancelled already. */
  Tool = 0,
  /** text: name; more: arguments. */
  Command = 1,
  /** number: whose turn it is; text: point; more: frame; deadline. */
  Intercept = 2,
  /** text: method; more: params; deadline; flag: is cancelled already. */
  Request = 3,
  /** text: event; more: frame. */
  Event = 4,
  /** text: panel; more: frame. */
  Panel = 5,
  /** text: reason. */
  Cancelled = 6,
  /** text: what a question came to: a tool's frame or a method's result, or with the flag the failure. */
  Answer = 7,
  /** text: a part of what a question comes to. */
  Part = 8,
  /** text: frame. */
  Accepted = 9,
  /** text: frame. */
  Teardown = 11,
  /** number: milliseconds until the process ends, where it does; text: reason. */
  ShuttingDown = 12,
  /** number: exit code; text: what was wrong with the end. */
  Finished = 13,
  /** text: reason. */
  Failed = 14,
  /** flag: input is wanted; deadline: when a turn is due. Only where JavaScript moves the bytes. */
  Wants = 15,
  /** text: tool; more: arguments; deadline; flag: is cancelled already. */
  Approval = 16,
}

/**
 * Is told everything. Returns true when promises are to have their turn before the next frame: when
 * a handler that was called has not ended.
 */
export type Deliver = (
  kind: Kind,
  serial: number,
  number: number | undefined,
  text: string | undefined,
  more: string | undefined,
  deadline: number | undefined,
  flag: boolean,
) => boolean;

/** How bytes come and go: by the event loop's own handles, by sockets of Node's, or by a host in the same process. */
export type Reader = "native" | "socket" | "bytes";

export interface SessionOptions {
  name: string;
  version: string;
  methods: string[];
  /** The version of the values that it keeps with its host. */
  stateVersion?: number | undefined;
  teardown: boolean;
  reader: Reader;
  /** Nobody listens for SIGTERM in JavaScript, so that Node's own handler is of no use. */
  forgetsSigterm: boolean;
  /** The other end of stdin and stdout is an MCP client. */
  mcp: boolean;
  /** Two descriptors in place of stdin and stdout, which the session owns from then on. */
  over?: [number, number];
}

/** Whose turn it is: an interceptor's by its index, a guard's by `~index`; null when all is decided. */
export type Turn = number | null;

/** What an extension can require of its host. */
export type Required = "tool" | "command" | "event" | "intercept" | "guard" | "capability";

/** What an extension offers, checked where its author wrote it down: a mistake throws. */
export interface Registrations {
  /** Says what of the schema cannot be checked. */
  tool(frame: string, index: number, checked: boolean): string[];
  removeTool(name: string): void;
  command(frame: string): void;
  event(name: string, tools?: readonly string[]): void;
  /** An interceptor of that point, or a guard by its name. */
  decider(point: string, guard?: string): void;
  onFailure(point: string, mode: "allow" | "block"): void;
  require(kind: Required, name: string): void;
  /** Whether a person started the program in a terminal, and has been told how it is tried. */
  isTried(name: string, version: string, program: string, isMcp: boolean): boolean;
}

export interface Session {
  /** Whether the event loop's own handles are used. */
  readonly isNative: boolean;
  begin(): void;
  ready(): void;
  /** Whether no other end had begun. */
  end(exitCode: number): boolean;
  setupExitCode(isCancelled: boolean): number;

  answerText(serial: number, text: string): void;
  answerValue(serial: number, json: string): void;
  /** With the members of the frame that answers the call. */
  answer(serial: number, members: string): void;
  /** With what the function of a tool says of a call. What is no answer to that throws. */
  answerApproval(serial: number, json: string): void;
  fail(serial: number, kind: string, message: string): void;
  eventDone(event: string): void;
  panelDone(id: string): void;
  settingUp(isBegun: boolean): void;
  teardownDone(): void;

  /** What the handler decided whose turn it was: nothing, or by the method of its moment that decides it. A
   * decision that it may not take throws. */
  decided(serial: number, method?: string, value?: string): Turn;
  deciderFailed(serial: number, why: string): Turn;
  /** The frame that the next handler is shown. */
  shown(serial: number): string;

  callId(serial: number): string;
  isCancelled(serial: number): boolean;
  /** How many milliseconds the host still waits; below zero where it does not say, or has the answer. */
  left(serial: number): number;
  operationKey(serial: number): string | null;
  reconciles(serial: number): boolean;
  atWork(): string[];
  update(serial: number, members: string): void;
  /** The number of the question; who asks is a call, a handler that answers nobody (0), or none (-1). Throws
   * an error whose `code` is the kind. */
  callTool(parent: number, name: string, args: string): number;
  request(parent: number, method: string, params: string | undefined, timeout: number | undefined, wantsParts: boolean): number;
  cancelQuestion(question: number): void;
  /** A secret or a variable, where the host does not serve the method; null where it is to be asked. Throws such an
   * error too. */
  elsewhere(method: string, name: string): string | null;
  /** Whether a value that could not be set, by the kind of the failure, is read and changed again. */
  triesAgain(kind: string, tried: number): boolean;
  /** A part of the answer to a request; false while it has to wait. Throws an error whose `code` is the kind. */
  sendPart(serial: number, part: string): boolean;

  /** What the extension registers with while it runs. */
  readonly registrations: Registrations;
  supports(capability: string): boolean;
  config(): string;

  notify(level: string, message: string): void;
  log(level: string, message: string, fields?: string): void;
  submit(text: string): void;
  clearNotes(): void;
  panel(frame: string): boolean;
  closePanel(id: string): void;
  panelIsOpen(id: string): boolean;

  takeDescriptors(): [number, number];
  feed(bytes: Uint8Array): void;
  endInput(): void;
  takeOutput(): Uint8Array | null;
  written(isGone: boolean): void;
  turn(): void;
  sigterm(): void;
  /** Somebody listens for a signal in JavaScript from now on. */
  listenInFront(): void;
  /** The host may have closed its end, where JavaScript reads and has read enough ahead. */
  lookForHangUp(): void;
  /** Writes what there is, and waits for the host. The handlers that were at work. */
  flush(): string[];
  /** Whether all that was fed has begun, and whether all of it is done except calls that still run. */
  progress(): [boolean, boolean];
  close(): void;
}

export interface Native {
  claimAtLoad(underTest: boolean): boolean;
  /** Gives stdin and stdout back, unless a session has taken them. */
  giveBack(): void;
  /** Whether the program is to be an MCP server, by its first argument or by the environment. */
  asksForMcp(firstArgument: string | undefined): boolean;
  isMainThread(): boolean;
  report(message: string): void;
  /** Whether a handler for these tools is told of an event about that one. */
  fitsTools(tools: readonly string[], tool: string | undefined): boolean;
  readonly Registrations: new () => Registrations;
  readonly Session: new (options: SessionOptions, registrations: Registrations, deliver: Deliver) => Session;
}

export const native = load("extline") as Native;

/** Asked natively where that is known: `node:worker_threads` takes Node longer to load than all of this. */
export function isMainThread(): boolean {
  if (process.platform !== "win32") return native.isMainThread();
  return process.getBuiltinModule("node:worker_threads").isMainThread;
}
