/** What the testing host and the tests take out of the package. Not for authors. */

export { Caller } from "./definition.js";
export { textOf, toFailure, ToolError } from "./errors.js";
export { encodeJson } from "./json.js";
export { load } from "./load.js";
export { POINT_NAMES } from "./moment.js";
export { native } from "./native.js";
export { encodeResponse } from "./response.js";
export { encodeFailure, encodeResult, encodeUpdate } from "./result.js";
export { Serving } from "./serve.js";
export { giveBack } from "./stdio.js";
export { prepareTool } from "./tool.js";
export { WebInput } from "./web-input.js";
