/** What a user, a log and a registry would have seen of the extension so far. */

import type { LogLevel, NoteLevel } from "../say.js";
import type { WireFrame } from "./transcript.js";

/** A note that the extension showed the user. */
export interface Note {
  readonly level: NoteLevel;
  readonly message: string;
}

/** A line that it logged. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A panel as it is shown. */
export interface ShownPanel {
  readonly id: string;
  readonly title?: string;
  readonly lines?: readonly string[];
  readonly footer?: string;
}

/** What it registered, as a frame with the names of the wire. */
export type Registered = WireFrame & { readonly name: string; readonly description?: string };

/** What it listens to. */
export interface Subscription {
  readonly events?: readonly string[];
  readonly intercept?: readonly string[];
  readonly guards?: readonly string[];
}

/** A registration that a testing host is not to take: what it is, and its name. */
export type Unwanted = readonly [kind: "tool" | "command" | "event" | "intercept" | "guard", name: string];

export class Seen {
  readonly #unwanted: readonly Unwanted[];
  isReady = false;
  /** Something was registered since the extension was last told of it. */
  isNews = false;
  readonly tools = new Map<string, Registered>();
  readonly commands = new Map<string, Registered>();
  subscription: Subscription = {};
  readonly rejected: unknown[] = [];
  readonly notes: Note[] = [];
  readonly logs: LogLine[] = [];
  readonly submitted: string[] = [];
  readonly panels = new Map<string, ShownPanel>();
  readonly notices: string[] = [];

  constructor(unwanted: readonly Unwanted[]) {
    this.#unwanted = unwanted;
  }

  /** Takes in what happened, by the names of the session's events. */
  take(name: string, said: any): void {
    switch (name) {
      case "ready":
        this.isReady = this.isNews = true;
        break;
      case "register_tool":
      case "register_command":
        this.#register(name === "register_tool" ? "tool" : "command", said as Registered);
        break;
      case "unregister_tool":
        this.tools.delete(said as string);
        this.isNews = true;
        break;
      case "subscribe":
        this.#subscribe(said as Record<string, string[] | undefined>);
        break;
      case "rejected":
        this.#reject(said);
        break;
      case "notify":
        this.notes.push({ level: said[0] as NoteLevel, message: said[1] as string });
        break;
      case "clear_notes":
        this.notes.length = 0;
        break;
      case "log": {
        const { type: _, ...line } = said as LogLine & { type: string };
        this.logs.push(line);
        break;
      }
      case "submit":
        this.submitted.push(said as string);
        break;
      case "notice":
        this.notices.push(said as string);
        break;
      case "open_panel":
        this.openPanel(said as ShownPanel);
        break;
      case "panel_render":
        this.#renderPanel(said as ShownPanel & { panel_id: string });
        break;
      case "panel_close":
        this.panels.delete(said as string);
        break;
    }
  }

  openPanel(panel: ShownPanel): void {
    this.panels.delete(panel.id);
    this.panels.set(panel.id, panel);
  }

  /** What the host took of the registrations, as a frame. */
  report(): object {
    return {
      type: "registered",
      tools: [...this.tools.keys()],
      commands: [...this.commands.keys()],
      events: this.subscription.events ?? [],
      intercept: this.subscription.intercept ?? [],
      guards: this.subscription.guards ?? [],
      rejected: this.rejected,
    };
  }

  #register(kind: "tool" | "command", frame: Registered): void {
    if (this.#rejects(kind, frame.name)) return;
    (kind === "tool" ? this.tools : this.commands).set(frame.name, frame);
    this.isNews = true;
  }

  #subscribe(frame: Record<string, string[] | undefined>): void {
    const kinds = { events: "event", intercept: "intercept", guards: "guard" } as const;
    const kept = Object.entries(kinds).flatMap(([names, kind]): [string, string[]][] => {
      const said = frame[names];
      return said === undefined ? [] : [[names, said.filter((name) => !this.#rejects(kind, name))]];
    });
    // One without anything changes nothing.
    if (kept.length === 0) return;
    this.subscription = Object.fromEntries(kept);
    this.isNews = true;
  }

  #rejects(kind: Unwanted[0], name: string): boolean {
    const isUnwanted = this.#unwanted.some(([unwanted, named]) => unwanted === kind && named === name);
    if (isUnwanted) this.#reject({ kind, name, code: "conflict", message: "the test has it rejected" });
    return isUnwanted;
  }

  #reject(rejection: unknown): void {
    this.rejected.push(rejection);
    this.isNews = true;
  }

  #renderPanel({ panel_id: id, title, lines, footer }: ShownPanel & { panel_id: string }): void {
    const panel = this.panels.get(id);
    if (panel === undefined) return;
    // A title stays, what else is not drawn again does not.
    const drawn = { id, title: title ?? panel.title, lines, footer };
    this.panels.set(id, JSON.parse(JSON.stringify(drawn)) as ShownPanel);
  }
}
