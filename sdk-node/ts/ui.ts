/** Dialogs: the person in front of the agent is asked. */

import type { Context } from "./context.js";

/** How long a person has. */
export interface DialogOptions {
  /** Milliseconds, counted from when the dialog is shown; without an end where it is not said. */
  timeoutMs?: number;
}

/** One of several that can be chosen: a text, or what is shown and what is returned for it. */
export type Choice = string | { label: string; description?: string; value?: string };

/** More about a yes or no. */
export interface ConfirmOptions extends DialogOptions {
  /** More about the question, in several lines perhaps. */
  message?: string;
}

/** More about a choice. */
export interface SelectOptions extends DialogOptions {
  /** The value that is offered first. */
  initial?: string;
}

/** More about a line of text. */
export interface InputOptions extends DialogOptions {
  /** An example of an answer. */
  placeholder?: string;
  /** Whether what is typed is not shown. */
  secret?: boolean;
}

/**
 * Asks the person in front of the agent. A dialog belongs to the handler's call and closes with it. Where nobody can
 * be asked, each answers at once as if the person had closed it. Under a host that has no dialogs at all each rejects
 * with a `ToolError` of kind `unsupported`; `ctx.ui.can("confirm")` tells before.
 */
export class Ui {
  readonly #ctx: Context;

  /** @internal */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Whether the host has that dialog. */
  can(dialog: "confirm" | "select" | "input"): boolean {
    return this.#ctx.host.serves(`ui.${dialog}`);
  }

  /** Asks for a yes or no; a dialog that was closed is a no: `if (await ctx.ui.confirm("Ship it?")) ...`. */
  async confirm(title: string, options: ConfirmOptions = {}): Promise<boolean> {
    const { message, timeoutMs } = options;
    const answer = await this.#ask("ui.confirm", { title, message, timeout_ms: timeoutMs });
    return answer["confirmed"] === true;
  }

  /** Has one of several chosen; undefined where the dialog was closed. */
  async select(title: string, choices: readonly Choice[], options: SelectOptions = {}): Promise<string | undefined> {
    const { initial, timeoutMs } = options;
    const answer = await this.#ask("ui.select", { title, options: choices, initial, timeout_ms: timeoutMs });
    return answer["value"] as string | undefined;
  }

  /** Has some of several chosen, or none; undefined where the dialog was closed. */
  async selectSeveral(title: string, choices: readonly Choice[], options: DialogOptions = {}): Promise<string[] | undefined> {
    const { timeoutMs } = options;
    const answer = await this.#ask("ui.select", { title, options: choices, multi: true, timeout_ms: timeoutMs });
    return answer["values"] as string[] | undefined;
  }

  /** Asks for a line of text, which may be empty; undefined where the dialog was closed. */
  async input(title: string, options: InputOptions = {}): Promise<string | undefined> {
    const { placeholder, secret, timeoutMs } = options;
    const answer = await this.#ask("ui.input", { title, placeholder, secret, timeout_ms: timeoutMs });
    return answer["value"] as string | undefined;
  }

  async #ask(method: string, params: object): Promise<Record<string, unknown>> {
    return (await this.#ctx.request(method, params)) as Record<string, unknown>;
  }
}
