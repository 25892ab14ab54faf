/** Panels while they are open. */

import { encodeJson } from "./json.js";
import type { Session } from "./native.js";
import { checkPanel, type PanelContent } from "./response.js";

/** Something happened in a panel. */
export interface PanelInput {
  /** What happened. */
  readonly kind: "key" | "resize" | "close";
  /** In which panel. */
  readonly panelId: string;
  /** The name of the key: `up`, `enter`, `rune`, ... */
  readonly key?: string | undefined;
  /** The text of a `rune`. */
  readonly text?: string | undefined;
  /** The new size, in columns. */
  readonly width?: number | undefined;
  /** The new size, in lines. */
  readonly height?: number | undefined;
}

/** What a panel shows. What is left out stays as it was. */
export type PanelChange = Omit<PanelContent, "id">;

/** A panel of the extension, by `ctx.panel(id)`. */
export class Panel {
  /** Its id. */
  readonly id: string;
  readonly #session: Session;

  /** @internal */
  constructor(session: Session, id: string) {
    this.id = id;
    this.#session = session;
  }

  /** Whether it is open, as far as is known here. */
  get isOpen(): boolean {
    return this.#session.panelIsOpen(this.id);
  }

  /** Opens it. */
  open(content: PanelChange = {}): void {
    checkPanel(content);
    this.#session.panel(encodeJson({ type: "open_panel", panel: { ...content, id: this.id } }));
  }

  /** Draws it anew; whether it is open. */
  render(content: PanelChange): boolean {
    checkPanel(content);
    return this.#session.panel(encodeJson({ type: "panel_render", panel_id: this.id, ...content }));
  }

  /** Closes it. */
  close(): void {
    this.#session.closePanel(this.id);
  }
}

/** A panel's input, from its frame. */
export function inputOf(text: string): PanelInput {
  const frame = JSON.parse(text) as Record<string, unknown> & { type: string; panel_id: string };
  return {
    kind: frame.type.slice("panel_".length) as PanelInput["kind"],
    panelId: frame.panel_id,
    key: frame.key as string | undefined,
    text: frame.text as string | undefined,
    width: frame.width as number | undefined,
    height: frame.height as number | undefined,
  };
}
