/** What an extension says unasked: to the log, to the user, to the model. Mistakes are told at their line. */

import type { Entry } from "./definition.js";
import { encodeJson } from "./json.js";
import { oneOf, sayType } from "./lossy.js";
import type { Session } from "./native.js";

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
const NOTE_LEVELS = ["info", "success", "warn", "error"] as const;

/** How much a line or a note matters. */
export type LogLevel = (typeof LOG_LEVELS)[number];
/** How much a note matters. */
export type NoteLevel = (typeof NOTE_LEVELS)[number];

/** Writes a line to the host's log. `entry` is what the author called. */
export function log(session: Session, message: string, level: LogLevel, fields: object | undefined, entry: Entry): void {
  checkText("log", "message", message, entry);
  checkLevel("log", level, LOG_LEVELS, entry);
  if (fields !== undefined && (typeof fields !== "object" || fields === null || Array.isArray(fields))) {
    throw mistake(`log(message, level, fields) takes an object of fields, and this is ${sayType(fields)}`, entry);
  }
  session.log(level, message.toWellFormed(), fields && encodeJson(fields));
}

/** Shows the user a note. */
export function notify(session: Session, message: string, level: NoteLevel, entry: Entry): void {
  checkText("notify", "message", message, entry);
  checkLevel("notify", level, NOTE_LEVELS, entry);
  session.notify(level, message.toWellFormed());
}

/** Queues a prompt for the model, or with a slash in front runs a command. */
export function submit(session: Session, text: string, entry: Entry): void {
  checkText("submit", "text", text, entry);
  session.submit(text.toWellFormed());
}

function checkText(what: string, parameter: string, text: unknown, entry: Entry): void {
  if (typeof text !== "string") throw mistake(`${what}(${parameter}) takes a string, and this is ${sayType(text)}`, entry);
}

function checkLevel(what: string, level: unknown, levels: readonly string[], entry: Entry): void {
  if (levels.includes(level as string)) return;
  const said = typeof level === "string" ? JSON.stringify(level) : sayType(level);
  throw mistake(`${what} has no level ${said}: it is ${oneOf(levels)}`, entry);
}

/** An error whose stack begins at the line that called `entry`. */
function mistake(text: string, entry: Entry): TypeError {
  const error = new TypeError(text);
  Error.captureStackTrace(error, entry);
  return error;
}
