/** The host, as its `hello_ack` describes it. */

import type { Session } from "./native.js";

/** What a host grants; what it does not say is undefined. */
export interface HostLimits {
  /** Longest frame it takes, in bytes. */
  readonly frameBytes?: number | undefined;
  /** How long it waits for a tool, in milliseconds. */
  readonly toolTimeoutMs?: number | undefined;
  /** How long it waits for an interceptor or guard, in milliseconds. */
  readonly interceptTimeoutMs?: number | undefined;
  /** How long it waits for a command, in milliseconds. */
  readonly commandTimeoutMs?: number | undefined;
}

/** The frame `hello_ack`. */
export interface Ack {
  readonly capabilities?: readonly string[];
  readonly zot_version?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly extension_dir?: string;
  readonly data_dir?: string;
  readonly host?: { readonly name: string; readonly version: string };
  readonly methods?: readonly string[];
  readonly limits?: {
    readonly frame_bytes?: number;
    readonly tool_timeout_ms?: number;
    readonly intercept_timeout_ms?: number;
    readonly command_timeout_ms?: number;
  };
}

/** The host, as its `hello_ack` describes it. */
export class Host {
  readonly #ack: Ack;
  readonly #session: Session;

  /** @internal */
  constructor(ack: Ack, session: Session) {
    this.#ack = ack;
    this.#session = session;
  }

  /** Its name; `zot` for one that does not say it. */
  get name(): string {
    return this.#ack.host?.name || "zot";
  }

  /** Its version. */
  get version(): string {
    return this.#ack.host?.version || this.zotVersion;
  }

  /** The version of zot that it is, or is like. */
  get zotVersion(): string {
    return this.#ack.zot_version ?? "";
  }

  /** The model's provider. */
  get provider(): string {
    return this.#ack.provider ?? "";
  }

  /** The model. */
  get model(): string {
    return this.#ack.model ?? "";
  }

  /** The project's directory. */
  get cwd(): string {
    return this.#ack.cwd ?? "";
  }

  /** What it grants. */
  get limits(): HostLimits {
    const limits = this.#ack.limits;
    return {
      frameBytes: limits?.frame_bytes,
      toolTimeoutMs: limits?.tool_timeout_ms,
      interceptTimeoutMs: limits?.intercept_timeout_ms,
      commandTimeoutMs: limits?.command_timeout_ms,
    };
  }

  /** Where the extension is; undefined where the host does not say. */
  get extensionDir(): string | undefined {
    return this.#ack.extension_dir || undefined;
  }

  /** Where the extension may keep data; undefined where the host does not say. */
  get dataDir(): string | undefined {
    return this.#ack.data_dir || undefined;
  }

  /** Whether it understands what the extension would send: `tool_update`, `log`, ... */
  supports(capability: string): boolean {
    return this.#session.supports(capability);
  }

  /** Whether it serves that method, for `ctx.request`. */
  serves(method: string): boolean {
    return (this.#ack.methods ?? []).includes(method);
  }
}
