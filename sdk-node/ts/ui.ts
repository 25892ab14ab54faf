/** The person in front of the agent: asked by dialogs, and shown something. */

import type { Context } from "./context.js";
import { ToolError } from "./errors.js";
import type { Services, UiChoice, UiPlacement, UiQuestion, View } from "./services.js";

/** How long a person has. */
export interface DialogOptions {
  /** Milliseconds, counted from when the dialog is shown; without an end where it is not said. */
  timeoutMs?: number;
}

/** One of several that can be chosen: a text, or what is shown and what is returned for it. */
export type Choice = UiChoice;

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

/** More about a text. */
export interface EditorOptions extends DialogOptions {
  /** The text to begin with. */
  prefill?: string;
}

/** More about a sign-in. */
export interface AuthOptions extends DialogOptions {
  /** What is entered there. */
  code?: string;
  /** More about it, in several lines perhaps. */
  message?: string;
}

/** What a host may have of this. */
export type UiName = "confirm" | "select" | "input" | "editor" | "ask" | "auth" | "status" | "title" | "working" | "widget";

type Method = keyof Services;

/**
 * Asks the person in front of the agent, and shows something. A dialog belongs to the handler's call and closes with
 * it. Where nobody can be asked, each answers at once as if the person had closed it. Under a host that has no dialogs
 * at all each rejects with a `ToolError` of kind `unsupported`; `ctx.ui.can("confirm")` tells before.
 * Under MCP it is true, and where the client cannot ask its user, the line that asks rejects with the same.
 *
 * What `status`, `title`, `working` and `widget` show stays until `null` takes it back. They never wait for a person,
 * and resolve to false under a host that does not show such things.
 */
export class Ui {
  readonly #ctx: Context;

  /** @internal */
  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Whether the host has that. */
  can(what: UiName): boolean {
    return this.#ctx.host.serves(`ui.${what}`);
  }

  /** Asks for a yes or no; a dialog that was closed is a no: `if (await ctx.ui.confirm("Ship it?")) ...`. */
  async confirm(title: string, options: ConfirmOptions = {}): Promise<boolean> {
    const { message, timeoutMs } = options;
    const answer = await this.#ask("ui.confirm", { title, message, timeout_ms: time(timeoutMs) });
    return "confirmed" in answer && answer.confirmed;
  }

  /** Has one of several chosen; undefined where the dialog was closed. */
  async select(title: string, choices: readonly Choice[], options: SelectOptions = {}): Promise<string | undefined> {
    const { initial, timeoutMs } = options;
    const answer = await this.#ask("ui.select", { title, options: choices, initial, timeout_ms: time(timeoutMs) });
    return "value" in answer ? answer.value : undefined;
  }

  /** Has some of several chosen, or none; undefined where the dialog was closed. */
  async selectSeveral(title: string, choices: readonly Choice[], options: DialogOptions = {}): Promise<string[] | undefined> {
    const { timeoutMs } = options;
    const answer = await this.#ask("ui.select", { title, options: choices, multi: true, timeout_ms: time(timeoutMs) });
    return "values" in answer ? [...answer.values] : undefined;
  }

  /** Asks for a line of text, which may be empty; undefined where the dialog was closed. */
  async input(title: string, options: InputOptions = {}): Promise<string | undefined> {
    const { placeholder, secret, timeoutMs } = options;
    const answer = await this.#ask("ui.input", { title, placeholder, secret, timeout_ms: time(timeoutMs) });
    return "value" in answer ? answer.value : undefined;
  }

  /** Has a text of several lines written or changed in an editor; undefined where the dialog was closed. */
  async editor(title: string, options: EditorOptions = {}): Promise<string | undefined> {
    const { prefill, timeoutMs } = options;
    const answer = await this.#ask("ui.editor", { title, prefill, timeout_ms: time(timeoutMs) });
    return "value" in answer ? answer.value : undefined;
  }

  /**
   * Asks several questions at once: `ctx.ui.ask([{ id: "where", question: "Where?", options: ["north", "south"] }])`.
   * For each `id` it resolves to what was chosen, or to the line that was typed where there are no `options`; to
   * undefined where the dialog was closed.
   */
  async ask(
    questions: readonly UiQuestion[],
    options: DialogOptions = {},
  ): Promise<Readonly<Record<string, readonly string[]>> | undefined> {
    const answer = await this.#ask("ui.ask", { questions, timeout_ms: time(options.timeoutMs) });
    return "answers" in answer ? answer.answers : undefined;
  }

  /**
   * Has the person sign in at `url`, and resolves to true once they say that it is done; to false where the dialog was
   * closed. Ask the service itself whether it is.
   */
  async auth(url: string, options: AuthOptions = {}): Promise<boolean> {
    const { code, message, timeoutMs } = options;
    const answer = await this.#ask("ui.auth", { url, code, message, timeout_ms: time(timeoutMs) });
    return "confirmed" in answer && answer.confirmed;
  }

  /** Shows a short text, until another one with this `key` takes its place. */
  async status(key: string, text: string | null): Promise<boolean> {
    return this.#show("ui.status", { key, text });
  }

  /** Sets the title of the window. */
  async title(title: string | null): Promise<boolean> {
    return this.#show("ui.title", { title });
  }

  /** Says what the agent is doing, while it works. */
  async working(text: string | null): Promise<boolean> {
    return this.#show("ui.working", { text });
  }

  /** Shows some lines above or below what the person types, until others with this `key` take their place. */
  async widget(
    key: string,
    lines: readonly string[] | null,
    placement: UiPlacement = "above",
    options: { view?: View | undefined } = {},
  ): Promise<boolean> {
    return this.#show("ui.widget", { key, lines, placement, ...options });
  }

  async #ask<M extends Method>(method: M, params: Services[M]["params"]): Promise<Services[M]["result"]> {
    return (await this.#ctx.request(method, params)) as Services[M]["result"];
  }

  async #show<M extends Method>(method: M, params: Services[M]["params"]): Promise<boolean> {
    try {
      await this.#ask(method, params);
      return true;
    } catch (error) {
      if (error instanceof ToolError && error.kind === "unsupported") return false;
      throw error;
    }
  }
}

/** A time that a person has. */
function time(milliseconds: number | undefined): number | undefined {
  if (milliseconds === undefined || milliseconds > 0) return milliseconds;
  throw new RangeError(`timeoutMs is ${milliseconds}: a person needs more than 0 ms; leave it out for no end`);
}
