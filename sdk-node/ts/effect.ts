/** What a call did to the world. */

/** Something was done to a file. */
export interface FileEffect {
  /** Which kind of effect. */
  readonly kind: "file";
  /** What was done. */
  readonly op: "read" | "create" | "modify" | "append" | "delete" | "rename";
  /** To which file. */
  readonly path: string;
  /** Its path after a rename. */
  readonly newPath?: string | undefined;
  /** Its size before, in bytes. */
  readonly bytesBefore?: number | undefined;
  /** Its size after, in bytes. */
  readonly bytesAfter?: number | undefined;
}

/** A process was started. */
export interface ProcessEffect {
  /** Which kind of effect. */
  readonly kind: "process";
  /** Its command line. */
  readonly command?: string | undefined;
  /** Its id. */
  readonly pid?: number | undefined;
  /** Whether it goes on after the call. */
  readonly background?: boolean | undefined;
  /** How it stands, in a word. */
  readonly status?: string | undefined;
  /** Its exit code, once it has ended. */
  readonly exitCode?: number | undefined;
}

/** What a call did to the world. */
export type Effect = FileEffect | ProcessEffect;

/** The effect with the names of the wire (`tool.effects`). */
export function wireOf(effect: Effect): Record<string, unknown> {
  if (effect.kind === "file") {
    const { newPath, bytesBefore, bytesAfter, ...rest } = effect;
    return { ...rest, new_path: newPath, bytes_before: bytesBefore, bytes_after: bytesAfter };
  }
  const { exitCode, ...rest } = effect;
  return { ...rest, exit_code: exitCode };
}
