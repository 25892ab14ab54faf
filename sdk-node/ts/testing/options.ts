/** How a testing host is made, and what the extension is told of it. */

import type { Unwanted } from "./seen.js";
import type { MethodStandIn, ToolStandIn } from "./stand-ins.js";

/** What a person says to a dialog; null closes it, and so does `{ dismissed: why }`, which says why. */
type Said<Answer> = Answer | null | { readonly dismissed: "user" | "timeout" | "cancelled" | "headless" };
/** One answer for all, or a list of answers in their order, the last of them again and again. */
type InTurn<Answer> = Said<Answer> | readonly Said<Answer>[];

/** What a person says to dialogs, or that nobody is there. */
export type DialogAnswers =
  | "headless"
  | {
      readonly confirm?: InTurn<boolean>;
      /** The value of an option. Where several can be chosen, a list of them in a list: `[["a", "c"]]`. */
      readonly select?: InTurn<string | readonly string[]>;
      readonly input?: InTurn<string>;
      readonly editor?: InTurn<string>;
      /** For each `id`. */
      readonly ask?: InTurn<Readonly<Record<string, string | readonly string[]>>>;
      readonly auth?: InTurn<boolean>;
    };

/** How a testing host is made. */
export interface HostOptions {
  /** Milliseconds that each step may take before the test fails; 5000 when not said. */
  deadlineMs?: number;
  /** The project's directory; the working directory when not said. */
  cwd?: string;
  /** Where the extension may keep data. */
  dataDir?: string;
  /** Where the extension is. */
  extensionDir?: string;
  /** The model's provider. */
  provider?: string;
  /** The model. */
  model?: string;
  /** The id of the conversation. */
  session?: string;
  /** What the host grants. */
  limits?: { frameBytes?: number; toolTimeoutMs?: number; interceptTimeoutMs?: number; commandTimeoutMs?: number };
  /** What the host understands; everything when not said. */
  capabilities?: readonly string[];
  /** The host that it is like: `spec` or `zot-0.1.62`. */
  profile?: string;
  /** Functions that the extension may call by `ctx.callTool`; null never answers. */
  tools?: Readonly<Record<string, ToolStandIn>>;
  /** Functions for `ctx.request`, which take the params. */
  methods?: Readonly<Record<string, MethodStandIn>>;
  /** What a person says to dialogs; unsaid the host has none. */
  answers?: DialogAnswers;
  /** What `ctx.secret` and `ctx.env` give, by name; null is declared and not set. Unsaid the host keeps none. */
  secrets?: Readonly<Record<string, string | null>>;
  /** The configuration that the host gives; unsaid none. */
  config?: Readonly<Record<string, unknown>>;
  /**
   * What the extension has kept before, as `{ session: { n: 1 } }`, or `{}` for nothing; unsaid the host keeps nothing.
   * `slot_version` is the version that the values have.
   */
  state?: GivenState;
  /** Whether the extension may propose actions by `ctx.pending`. */
  pending?: boolean;
  /** Registrations that the host does not take, as `["tool", "weather"]`. */
  reject?: readonly Unwanted[];
}

/** Values that an extension has kept, by scope and key. */
export interface GivenState {
  session?: Readonly<Record<string, unknown>>;
  project?: Readonly<Record<string, unknown>>;
  global?: Readonly<Record<string, unknown>>;
  slot_version?: number;
}

/** As the native half reads them. */
export function stepOptions(options: HostOptions): object {
  const { provider, model, cwd = process.cwd(), session, limits, capabilities, profile, reject } = options;
  const { version } = require("../../package.json") as { version: string };
  const tools = Object.entries(options.tools ?? {}).map(([name, tool]) => [name, tool !== null]);
  return {
    unit: "ms",
    deadline: options.deadlineMs,
    version,
    provider,
    model,
    cwd,
    data_dir: options.dataDir,
    extension_dir: options.extensionDir,
    session: session === undefined ? undefined : { id: session },
    limits: limits && wireOf(limits),
    capabilities,
    profile,
    reject,
    answers: options.answers,
    secrets: options.secrets,
    config: options.config,
    state: options.state,
    pending: options.pending,
    tools: Object.fromEntries(tools),
    methods: Object.keys(options.methods ?? {}),
  };
}

/** With the names of the wire. */
export function wireOf(payload: object): object {
  const wire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [wire(name), value]));
}
