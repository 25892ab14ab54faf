/** The package as one object, of which a process has one: scripts/bundle.mjs makes a file of it. */

export * as index from "./index.js";
export * as inside from "./inside.js";
