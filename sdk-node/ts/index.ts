/**
 * Extensions for coding agents, in TypeScript and JavaScript.
 *
 * @packageDocumentation
 */

export { DefinitionError, ToolError } from "./errors.js";
export type { ErrorKind, ToolErrorOptions } from "./errors.js";
export { RawJson } from "./json.js";
export { Response } from "./response.js";
export type { PanelContent } from "./response.js";
