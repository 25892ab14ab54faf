/**
 * Errors that no handler's caller can catch: a promise that nobody awaits, a throw in a timer. Node
 * would end the process, and every call with it; here they are told, and the extension goes on.
 */

import { tellAuthor } from "./failed.js";
import type { Session } from "./native.js";
import { explain, print } from "./thrown.js";

/** Listens until the function that it returns is called. */
export function tellStrayErrors(session: Session): () => void {
  const tell = (event: "uncaughtException" | "unhandledRejection", what: string) => {
    const listener = (thrown: unknown) => {
      // A program that listens itself decides itself.
      if (process.listenerCount(event) > 1) return;
      const atWork = session.atWork();
      const where = atWork.length > 0 ? `while ${atWork.join(", ")} ran` : "while no handler ran";
      tellAuthor(`${what}, ${where}:\n${print(thrown)}`);
      if (session.supports("log")) session.log("error", `${what}, ${where}: ${explain(thrown)}`);
    };
    process.on(event, listener);
    return () => process.off(event, listener);
  };
  const ends = [
    tell("unhandledRejection", "a promise was rejected that nobody awaits"),
    tell("uncaughtException", "an error was thrown outside of every handler"),
  ];
  return () => ends.forEach((end) => end());
}
