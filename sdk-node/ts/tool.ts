/** A tool as its author declares it, and what the host is told of it. */

import type { Advised } from "./adviser.js";
import type { Context } from "./context.js";
import { Caller, definitionError, type Entry } from "./definition.js";
import { oneOf, sayType } from "./lossy.js";
import { Misreturned, misreturned } from "./misreturned.js";
import { encodeResult, encodeValue, isResultObject, ToolResult, type Answer, type Update } from "./result.js";
import { prepareInput, type ArgsOf, type PreparedInput, type Schema } from "./schema/input.js";
import type { JsonSchema } from "./schema/json-schema.js";
import { prepareOutput, type PreparedOutput, type ValueOf } from "./schema/output.js";
import type { View } from "./services.js";

/** When a host asks its user before a call. */
export interface Approval {
  /** The call needs an approval. */
  gated?: boolean | undefined;
  /** How much it can do. */
  tier?: "read" | "write" | "exec" | undefined;
  /** Template over the arguments that says which calls one approval covers. */
  key?: string | undefined;
  /** Why it is asked, for a person. */
  reason?: string | undefined;
}

/** A form in which a tool writes its value: `labeled` to read it, `json` for programs. */
export type OutputFormat = "labeled" | "json";

/** What a tool proposes to whoever chooses the tools of a turn. An agent or its user may know better. */
export interface Preference {
  /** `false`: it is not offered unless the agent or its user names it. */
  enabled?: boolean | undefined;
  /** How much it wants to be offered where there is no room for all, from 0 to 1; 0.5 when not said. */
  weight?: number | undefined;
  /** Values for arguments, by their names, that a model is shown as defaults. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Why, for a person. */
  reason?: string | undefined;
}

/** What a tool declares. */
export interface ToolOptions<
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
> {
  /** What it does, for the model. */
  description: string;
  /**
   * Its arguments: a schema of zod, valibot, arktype or any other library that follows Standard
   * Schema, or a JSON Schema. Without it there are none.
   */
  input?: Input | undefined;
  /** Its structured result, in the same way. The handler then returns this value. */
  output?: Output | undefined;
  /** The JSON Schema that the model sees, where the library of `input` cannot say it. */
  schema?: JsonSchema | undefined;
  /** Its name for a person. */
  label?: string | undefined;
  /** Its own deadline, in milliseconds; a host gives 60 s otherwise. */
  timeoutMs?: number | undefined;
  /** It waits for a person, so no deadline holds. */
  interactive?: boolean | undefined;
  /** The host holds its calls in order; they may overlap otherwise. */
  sequential?: boolean | undefined;
  /** The same arguments give the same result until something mutates. */
  pure?: boolean | undefined;
  /**
   * What an agent may do that ended after a call had begun and before it had the result: call again
   * (`safe`, unless said of one that is `pure` or `readOnly`), call again with the same
   * `ctx.operationKey` (`idempotent`, unless said of one that is `idempotent`), ask first what became of it,
   * by `ctx.reconcile` (`reconcile`), or give the call up (`never`, unless said of any other).
   */
  replay?: "never" | "safe" | "idempotent" | "reconcile" | undefined;
  /** The provider must keep the model to the schema. */
  strict?: boolean | undefined;
  /** A hint: it changes nothing. */
  readOnly?: boolean | undefined;
  /** A hint: it may destroy what was there. */
  destructive?: boolean | undefined;
  /** A hint: a second call changes nothing further. */
  idempotent?: boolean | undefined;
  /** A hint: it reaches beyond the project. */
  openWorld?: boolean | undefined;
  /**
   * A user is asked before each call; `approval` says more. A function is asked before each call whether a user is,
   * and may say more: `gated: (args) => args.place === "prod"`. When it throws, the user is asked about exactly this
   * call.
   */
  gated?: boolean | ((args: ArgsOf<Input>, ctx: Context) => Advised | PromiseLike<Advised>) | undefined;
  /** When a user is asked before a call. */
  approval?: Approval | undefined;
  /** How it is offered; `direct` when not said. */
  exposure?: "direct" | "codemode" | "deferred" | "model-only" | undefined;
  /** The group it belongs to. */
  namespace?: string | undefined;
  /**
   * How a person is shown a call, by a host that shows views: a view whose texts have `{name}` for the argument of that
   * name.
   */
  callView?: View | undefined;
  /**
   * The forms of its value between which the model chooses by an argument `output`; the first holds where it does not.
   * The handler does not get the argument. One form alone adds none.
   */
  outputs?: readonly OutputFormat[] | undefined;
  /** What it proposes to whoever chooses the tools of a turn. */
  preference?: Preference | undefined;
  /** The extension ends where a host does not take the tool. */
  required?: boolean | undefined;
}

/**
 * What a handler may return. With an `output` it is the value. Without one it is a text, an image, a list with images
 * in it, nothing, a {@link ToolResult}, or any JSON value. The type is `unknown` then, as that of `response.json()`.
 */
export type Returned<Output extends Schema | undefined> = Output extends Schema
  ? ValueOf<Output> | ToolResult<ValueOf<Output>>
  : unknown;

/**
 * A tool's handler: gets the arguments and the context of the call. It returns its result, a promise
 * of it, or an iterator that yields how the call stands and returns the result.
 */
export type ToolHandler<
  Input extends Schema | undefined,
  Output extends Schema | undefined,
  Context,
> = (
  args: ArgsOf<Input>,
  ctx: Context,
) =>
  | Returned<Output>
  | PromiseLike<Returned<Output>>
  | AsyncGenerator<string | Update, Returned<Output>, void>
  | Generator<string | Update, Returned<Output>, void>;

/** A tool, ready to be registered and called. */
export interface PreparedTool {
  /** The registration with the names of the wire. */
  readonly frame: Readonly<Record<string, unknown>>;
  /** Whether the native half checks the arguments against the schema. */
  readonly checked: PreparedInput["checked"];
  /** What the handler gets of the parsed arguments. */
  readonly accept: PreparedInput["accept"];
  /** Who wrote it. */
  readonly author: Caller;
  /** The answer for what the handler returned, or a promise of it. */
  readonly answer: (returned: unknown) => Answer | Promise<Answer>;
}

/** Every option, by the name that the wire has for it; the others are more than a name. */
const PLAIN = {
  label: "label",
  timeoutMs: "timeout_ms",
  interactive: "interactive",
  pure: "pure",
  replay: "replay",
  strict: "strict",
  exposure: "exposure",
  namespace: "namespace",
  outputs: "outputs",
  preference: "preference",
} as const;
const HINTS = {
  readOnly: "read_only",
  destructive: "destructive",
  idempotent: "idempotent",
  openWorld: "open_world",
} as const;
const OTHERS = ["description", "input", "output", "schema", "sequential", "gated", "approval", "callView", "required"];
const OPTIONS = new Set([...Object.keys(PLAIN), ...Object.keys(HINTS), ...OTHERS]);

/** What authors of other kits call an option. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  parameters: "input",
  inputSchema: "input",
  outputSchema: "output",
  execute: "the handler, behind the options",
  handler: "the handler, behind the options",
  timeout: "timeoutMs",
  annotations: "readOnly, destructive, idempotent and openWorld",
};

/**
 * Prepares a tool. Throws a `DefinitionError` at the line that called `entry`.
 */
export function prepareTool(name: string, options: ToolOptions<Schema, Schema>, entry: Entry): PreparedTool {
  try {
    return prepare(name, options, new Caller(entry));
  } catch (error) {
    // A library's own error says nothing more, and its stack is of no use to the author.
    throw definitionError(`tool ${name}`, error instanceof Error ? error.message : String(error), entry);
  }
}

function prepare(name: string, options: ToolOptions<Schema, Schema>, author: Caller): PreparedTool {
  checkOptions(options);
  const input = prepareInput(options.input, options.schema, author);
  const output = options.output === undefined ? undefined : prepareOutput(options.output, author);
  const hints = renamed(options, HINTS);
  const frame = {
    type: "register_tool",
    name,
    description: options.description,
    schema: input.schema,
    output_schema: output?.schema,
    ...renamed(options, PLAIN),
    annotations: Object.keys(hints).length > 0 ? hints : undefined,
    execution: options.sequential ? "sequential" : undefined,
    approval: approvalOf(options),
    call_view: options.callView,
  };
  const answer = reading(output ? answerOf(output) : encodeResult);
  return { frame, checked: input.checked, accept: input.accept, author, answer };
}

/** A host that does not ask the extension about a call asks a user each time. */
function approvalOf({ gated, approval }: ToolOptions<Schema, Schema>): object | undefined {
  if (typeof gated === "function") return { ...approval, gated: true, dynamic: true };
  return gated ? { ...approval, gated: true } : approval;
}

/** What it throws is about what the handler returned. */
function reading(answer: PreparedTool["answer"]): PreparedTool["answer"] {
  const refuse = (thrown: unknown): never => {
    throw misreturned(thrown);
  };
  return (returned) => {
    try {
      const answered = answer(returned);
      return answered instanceof Promise ? answered.catch(refuse) : answered;
    } catch (thrown) {
      return refuse(thrown);
    }
  };
}

/** With an `output`, a `ToolResult` still says what it says; its value is held to the schema too. */
function answerOf({ accept }: PreparedOutput): PreparedTool["answer"] {
  return (returned) => {
    if (returned instanceof ToolResult) {
      const { structured } = returned.options;
      if (structured === undefined || !accept) return encodeResult(returned);
      return then(accept(structured), (value) => encodeResult(new ToolResult(returned.content, { ...returned.options, structured: value })));
    }
    if (isResultObject(returned)) {
      const advice = "return the value itself, or new ToolResult(content, { structured: value })";
      throw new Misreturned(`it returned a result of MCP, and the tool has an output: ${advice}`);
    }
    return accept ? then(accept(returned), encodeValue) : encodeValue(returned);
  };
}

function then<Value>(value: unknown, next: (value: unknown) => Value): Value | Promise<Value> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function renamed(options: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = Object.entries(options).filter(([name, value]) => Object.hasOwn(names, name) && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [names[name], value]));
}

/** For authors without a compiler: says what is no option. */
function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new Error("say what the tool does: { description: ... } stands between its name and its handler");
  }
  for (const name of Object.keys(options)) {
    if (OPTIONS.has(name)) continue;
    const advice = ELSEWHERE[name];
    throw new Error(`there is no option ${name}${advice === undefined ? `; there are ${[...OPTIONS].join(", ")}` : `: it is ${advice}`}`);
  }
  const { description } = options as { description?: unknown };
  if (typeof description !== "string" || description === "") {
    throw new Error("say for the model what the tool does: { description: ... }");
  }
  checkValues(options as Readonly<Record<string, unknown>>, VALUES, "");
  checkMembers(options, "approval", APPROVAL);
  checkMembers(options, "preference", PREFERENCE);
}

/** Of an option that is an object. */
function checkMembers(options: object, option: string, values: Readonly<Record<string, Allowed>>): void {
  const given = (options as Readonly<Record<string, unknown>>)[option];
  if (given === undefined) return;
  if (typeof given !== "object" || given === null) throw new Error(`its ${option} is ${sayType(given)}, and must be an object`);
  checkValues(given as Readonly<Record<string, unknown>>, values, `${option}.`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(values, name));
  if (unknown !== undefined) throw new Error(`there is no ${option}.${unknown}; there are ${Object.keys(values).join(", ")}`);
}

/** What an option may be: one of these words, or a value of a type. */
type Allowed =
  | readonly string[]
  | "a string"
  | "a boolean"
  | "a boolean or a function"
  | "a positive number"
  | "a number from 0 to 1"
  | "an object"
  | 'a list such as ["labeled", "json"]';

const APPROVAL: Readonly<Record<string, Allowed>> = {
  gated: "a boolean",
  tier: ["read", "write", "exec"],
  key: "a string",
  reason: "a string",
};
const PREFERENCE: Readonly<Record<string, Allowed>> = {
  enabled: "a boolean",
  weight: "a number from 0 to 1",
  parameters: "an object",
  reason: "a string",
};
const VALUES: Readonly<Record<string, Allowed>> = {
  label: "a string",
  timeoutMs: "a positive number",
  exposure: ["direct", "codemode", "deferred", "model-only"],
  replay: ["never", "safe", "idempotent", "reconcile"],
  namespace: "a string",
  ...Object.fromEntries(
    ["interactive", "sequential", "pure", "strict", ...Object.keys(HINTS), "required"].map((name) => [name, "a boolean"] as const),
  ),
  gated: "a boolean or a function",
  outputs: 'a list such as ["labeled", "json"]',
};

function checkValues(given: Readonly<Record<string, unknown>>, values: Readonly<Record<string, Allowed>>, within: string): void {
  for (const [name, allowed] of Object.entries(values)) {
    const value = given[name];
    if (value === undefined || isAllowed(value, allowed)) continue;
    const said = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : sayType(value);
    const must = typeof allowed === "string" ? allowed : oneOf(allowed);
    throw new Error(`its ${within}${name} is ${said}, and must be ${must}`);
  }
}

function isAllowed(value: unknown, allowed: Allowed): boolean {
  if (allowed === "a string" || allowed === "a boolean") return `a ${typeof value}` === allowed;
  if (allowed === "a boolean or a function") return typeof value === "boolean" || typeof value === "function";
  if (allowed === "a positive number") return typeof value === "number" && value > 0 && Number.isFinite(value);
  if (allowed === "a number from 0 to 1") return typeof value === "number" && value >= 0 && value <= 1;
  if (allowed === "an object") return sayType(value) === allowed;
  // Which words there are, the native half knows.
  if (typeof allowed === "string") return Array.isArray(value) && value.every((word) => typeof word === "string");
  return allowed.includes(value as string);
}
