/** The configuration that the host gives, as the author's schema makes it. */

import { definitionError, type Entry } from "./definition.js";
import { isStandard, validate, type Mistake, type StandardSchema } from "./schema/standard.js";
import type { Session } from "./native.js";

const HINT =
  "set it with `extline config DIR KEY VALUE`, give it with `--config FILE`, or give the member a default; a host " +
  "without configurations gives none";

/** A configuration that does not fit the author's schema; the message has the JSON pointer. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A configuration as an object, where no schema says more. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** The configuration that a schema makes. */
export type ConfigOf<Given> = Given extends StandardSchema<unknown, infer Output> ? Readonly<Output & object> : ConfigObject;

/**
 * What is known of the configuration of one extension: the schema, and what was made last. A host sends another one
 * at any time; it is read where somebody asks.
 */
export class ConfigSource {
  #schema: StandardSchema | undefined;
  #isDescribed = false;
  #session: Session | undefined;
  #text: string | undefined;
  #value: object | undefined;
  #told: string | undefined;

  /** What `ext.config` is given. */
  describe(schema: unknown, entry: Entry): void {
    if (schema !== undefined && !isStandard(schema)) {
      const said = "its schema is none of zod, valibot, arktype or the like: write ext.config(z.object({ ... }))";
      throw definitionError("the configuration", said, entry);
    }
    if (this.#isDescribed) {
      throw definitionError("the configuration", "it is described already: an extension has one ext.config(...)", entry);
    }
    this.#isDescribed = true;
    this.#schema = schema;
  }

  /** The host has answered. Throws a `ConfigError` where the schema does not take what it gives. */
  begin(session: Session): void {
    this.#session = session;
    this.#text = session.config();
    this.#value = this.#made(this.#text);
  }

  /** The configuration as it is now; where the newest does not fit, the one before, and the log says so. */
  get value(): object {
    const session = this.#session;
    if (session === undefined || this.#value === undefined) {
      throw new Error("there is no configuration before the host has answered: use it in a handler or in setup");
    }
    const text = session.config();
    if (text === this.#text) return this.#value;
    try {
      this.#value = this.#made(text);
      this.#text = text;
    } catch (error) {
      if (this.#told !== text) session.log("error", `the one before goes on: ${(error as Error).message}`);
      this.#told = text;
    }
    return this.#value;
  }

  #made(text: string): object {
    const value = JSON.parse(text) as object;
    if (this.#schema === undefined) return value;
    const made = validate(this.#schema, value, unfit);
    if (made instanceof Promise) {
      made.catch(() => {});
      throw new ConfigError("the schema of the configuration answers later, by a promise: it has to answer at once");
    }
    return made as object;
  }
}

function unfit(mistakes: readonly Mistake[]): ConfigError {
  const told = mistakes.map(({ pointer, message }) => `${pointer || "the configuration"}: ${message}`);
  return new ConfigError(`the configuration does not fit: ${told.join("; ")}; ${HINT}`);
}

/** The configuration as it is at the moment, member by member. */
export function currentConfig(source: ConfigSource): object {
  return new Proxy(Object.create(null) as object, {
    get: (_, name) => Reflect.get(source.value, name) as unknown,
    has: (_, name) => Reflect.has(source.value, name),
    ownKeys: () => Reflect.ownKeys(source.value),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(source.value, name);
      return found && { ...found, configurable: true };
    },
    set: (_, name) => {
      throw new TypeError(`a user sets ${String(name)}, by \`extline config\`; an extension does not`);
    },
  });
}
