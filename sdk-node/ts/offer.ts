/** What an extension offers, by its handlers. */

import type { ConfigSource } from "./config.js";
import type { Context } from "./context.js";
import type { Guard, Interceptor } from "./decide.js";
import type { Caller } from "./definition.js";
import type { Event, Moment } from "./moment.js";
import type { Registrations } from "./native.js";
import type { PanelInput } from "./panel.js";
import type { PreparedTool } from "./tool.js";

export type Handler<Value> = (value: Value, ctx: Context) => unknown;

/** A handler and where it was registered. */
export interface Registered<Value> {
  readonly handler: Handler<Value>;
  readonly author: Caller;
}

/** One of an event's. */
export interface RegisteredEvent extends Registered<Event> {
  /** Of which tools it is told; undefined for all. */
  readonly tools: readonly string[] | undefined;
}

export interface OfferedTool extends PreparedTool {
  readonly name: string;
  readonly handler: Handler<unknown>;
}

/** Grows while the author registers, also in `setup` and later. */
export interface Offer {
  readonly name: string;
  readonly version: string;
  readonly registrations: Registrations;
  /** By the number under which the native half knows them. */
  readonly tools: OfferedTool[];
  readonly commands: Map<string, Registered<string>>;
  readonly events: Map<string, RegisteredEvent[]>;
  readonly interceptors: Map<string, Interceptor<Handler<Moment>>[]>;
  readonly guards: Guard<Handler<Moment>>[];
  readonly panels: Map<string, Registered<PanelInput>>;
  readonly methods: Map<string, Registered<unknown>>;
  /** The version of the values that it keeps with its host. */
  stateVersion?: number | undefined;
  /** By the tool, what says whether one of its calls is to be approved. */
  readonly advisers: Map<string, Registered<unknown>>;
  readonly config: ConfigSource;
  readonly setups: ((ctx: Context) => unknown)[];
  readonly teardowns: ((ctx: Context) => unknown)[];
}

/** The same, which does not grow with it. The native registrations grow only before it runs. */
export function copyOf(offer: Offer): Offer {
  const copied = Object.entries(offer).map(([name, value]): [string, unknown] => {
    if (value instanceof Map) return [name, new Map<unknown, unknown>(value)];
    return [name, Array.isArray(value) ? [...(value as unknown[])] : value];
  });
  return Object.fromEntries(copied) as unknown as Offer;
}
