/** What a user, a log and a registry would have seen of the extension so far. */

import type { LogLevel, NoteLevel } from "../say.js";
import type { WireFrame } from "./transcript.js";

/** A note that the extension showed the user. */
export interface Note {
  readonly level: NoteLevel;
  readonly message: string;
}

/** A line that it logged. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A panel as it is shown. */
export interface ShownPanel {
  readonly id: string;
  readonly title?: string;
  readonly lines?: readonly string[];
  readonly footer?: string;
}

/** What it registered, as a frame with the names of the wire. */
export type Registered = WireFrame & { readonly name: string; readonly description?: string };

/** What it listens to. */
export interface Subscription {
  readonly events?: readonly string[];
  readonly intercept?: readonly string[];
  readonly guards?: readonly string[];
}

/** A registration that a testing host is not to take: what it is, and its name. */
export type Unwanted = readonly [kind: "tool" | "command" | "event" | "intercept" | "guard", name: string];
