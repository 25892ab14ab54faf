/**
 * Extensions for coding agents, in TypeScript and JavaScript.
 *
 * @packageDocumentation
 */

export type { Block, Content, ImageBlock, TextBlock } from "./content.js";
export type { Effect, FileEffect, ProcessEffect } from "./effect.js";
export { DefinitionError, ToolError } from "./errors.js";
export type { ErrorKind, ToolErrorOptions } from "./errors.js";
export { Image, image } from "./image.js";
export { RawJson } from "./json.js";
export { Response } from "./response.js";
export type { PanelContent } from "./response.js";
export { ToolResult } from "./result.js";
export type { ResultObject, ToolResultOptions, Update } from "./result.js";
export type { ArgsOf, Schema } from "./schema/input.js";
export type { FromSchema, JsonSchema, JsonType } from "./schema/json-schema.js";
export type { ValueOf } from "./schema/output.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./schema/standard.js";
export type { Approval, Returned, ToolHandler, ToolOptions } from "./tool.js";
