/** The lines in a file, which is whole at any time: it is written beside and moved into place. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "extline";

/** Where the lines are kept. Each operation reads them anew, so no other process is overlooked. */
export class Store {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "scratchpad.json");
  }

  load(): readonly string[] {
    try {
      return (JSON.parse(readFileSync(this.#file, "utf8")) as unknown[]).map(String);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      const message = `${this.#file} cannot be read, so it is left as it is`;
      throw ToolError.internal(message, { cause: error, hint: "mend it, or move it away" });
    }
  }

  save(lines: readonly string[]): void {
    const beside = `${this.#file}.new`;
    writeFileSync(beside, `${JSON.stringify(lines, null, 1)}\n`, { flush: true });
    renameSync(beside, this.#file);
  }
}
