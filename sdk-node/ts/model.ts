/**
 * Between a model and its tools: {@link repair} mends the JSON that models write, {@link extract} finds the
 * tool calls in their text where the provider's interface did not, and {@link schemaFor} renders a tool's
 * schema as a provider takes it.
 *
 * ```ts
 * import { repair } from "extline/model";
 *
 * const { value } = repair("{'path': 'a.txt', lines: [1, 2,],}");
 * assert.deepEqual(value, { path: "a.txt", lines: [1, 2] });
 * ```
 *
 * All are functions of text, for agents with and without an extline host. The module loads nothing of the
 * rest of the package, and leaves stdin and stdout alone.
 *
 * @packageDocumentation
 */

export { extract, Extractor } from "./model/extract.js";
export type { Call, Extracted, Finished, OfferedTool, Refused } from "./model/extract.js";
export { repair, RepairError } from "./model/repair.js";
export type { Fix, Repaired } from "./model/repair.js";
export { schemaFor, UnrenderableError, withoutNulls } from "./model/schema.js";
export type { Note, Provider, Rendered, SchemaOptions } from "./model/schema.js";
