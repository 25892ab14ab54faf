/** The scratchpad as a panel: its lines, one of them selected, and one to type a new one. */

export class View {
  #selected = 0;
  #typed: string | undefined;

  reset(): void {
    this.#selected = 0;
    this.#typed = undefined;
  }

  /** The lines after a key: the same array where they did not change, undefined when the panel is to go. */
  press(key: string, text: string, lines: readonly string[]): readonly string[] | undefined {
    const pressed = key === "rune" ? text : key;
    if (this.#typed !== undefined) return this.#type(this.#typed, pressed, text, lines);
    if (pressed === "esc" || pressed === "q") return undefined;
    if (pressed === "up") this.#selected -= 1;
    if (pressed === "down") this.#selected += 1;
    if (pressed === "a") this.#typed = "";
    const isDelete = pressed === "d" || pressed === "delete";
    return isDelete && lines.length > 0 ? lines.toSpliced(this.#selected, 1) : lines;
  }

  #type(typed: string, pressed: string, text: string, lines: readonly string[]): readonly string[] {
    if (pressed === "enter" || pressed === "esc") {
      this.#typed = undefined;
      if (pressed === "esc" || typed.trim() === "") return lines;
      this.#selected = lines.length;
      return [...lines, typed.trim()];
    }
    this.#typed = pressed === "backspace" ? typed.slice(0, -1) : typed + text;
    return lines;
  }

  draw(lines: readonly string[]): { title: string; lines: string[]; footer: string } {
    this.#selected = Math.max(0, Math.min(this.#selected, lines.length - 1));
    const typing = this.#typed !== undefined;
    const shown = lines.map((line, at) => `${at === this.#selected && !typing ? ">" : " "} ${line}`);
    if (typing) shown.push(`> new: ${this.#typed}_`);
    const footer = typing ? "enter keeps it, esc does not" : "a adds, d deletes, esc closes";
    return { title: `Scratchpad (${lines.length})`, lines: shown.length > 0 ? shown : ["  nothing yet"], footer };
  }
}
