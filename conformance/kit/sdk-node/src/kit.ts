// The kit on the Node SDK: what conformance/kit/surface.toml says, for
// `extline conformance --level kit`. docs/tester/kits.md says what a kit is.
import { kit } from "./memory.js";
// Each registers its part, in this order.
import "./commands.js";
import "./values.js";
import "./waiting.js";
import "./faults.js";
import "./knowledge.js";
import "./methods.js";
import "./services.js";
import "./moments.js";
import "./panel.js";

await kit.run(import.meta);
