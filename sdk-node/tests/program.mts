// Extensions as real processes, over real pipes or sockets, with this test as their host.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** A frame, as this test reads it. */
export type Frame = { readonly [name: string]: any }; // eslint-disable-line

/** How a program meets its host: what stdin and stdout are, and who reads them. */
export interface Way {
  /** Node's own child processes get sockets; real hosts give pipes. */
  readonly over: "pipes" | "sockets";
  readonly reader: "native" | "socket";
}

export const WAYS: readonly Way[] = [
  { over: "pipes", reader: "native" },
  { over: "sockets", reader: "native" },
  { over: "pipes", reader: "socket" },
];

const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "extline-test-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(PACKAGE, join(folder, "node_modules", "extline"));
after(() => rmSync(folder, { recursive: true, force: true }));
let written = 0;

/** Writes a program beside an installed package; the name is the file's ending. */
export function write(source: string, ending = "mjs"): string {
  const file = join(folder, `program-${++written}.${ending}`);
  writeFileSync(file, source);
  return file;
}

export interface StartOptions extends Partial<Way> {
  readonly env?: Readonly<Record<string, string>>;
  readonly ending?: string;
  readonly options?: readonly string[];
  /** What the host offers; with false it never answers. */
  readonly ack?: Frame | false;
  /** The host reads nothing until it is told to. */
  readonly paused?: boolean;
}

export const ACK = {
  type: "hello_ack",
  protocol_version: 1,
  capabilities: ["tool_update", "call_tool", "tool_registry", "registration_report", "log", "rpc"],
  methods: ["host.echo"],
  host: { name: "test", version: "1" },
  zot_version: "0.1.0",
  provider: "p",
  model: "m",
  cwd: "/w",
  data_dir: "/d",
};

const EXTENSION = `import { Extension, Response, ToolError, ToolResult, RawJson, image } from "extline";
import { setTimeout as sleep } from "node:timers/promises";
const ext = new Extension("test", "1.0.0");
`;

/** A whole program from what its extension offers. */
export function extension(offers: string): string {
  return `${EXTENSION}${offers}\nawait ext.run(import.meta);\n`;
}

/** One running program. */
export class Program {
  readonly frames: Frame[] = [];
  readonly #child: ChildProcess;
  /** In pieces: one text that grows by each would be copied as a whole each time. */
  readonly #stdout: string[] = [];
  /** The beginning of a line. */
  #begun = "";
  #stderr = "";
  #seen = 0;
  #waiters = new Set<() => void>();
  #pid: number | undefined;
  #ended: { code: number | null; signal: string | null } | undefined;

  private constructor(file: string, { over = "pipes", reader = "native", env = {}, options = [], paused }: StartOptions) {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const environment = { ...inherited, EXTLINE_NODE_READER: reader, ...env };
    const command = [process.execPath, ...options, file];
    this.#child =
      over === "sockets"
        ? spawn(command[0]!, command.slice(1), { env: environment, stdio: ["pipe", "pipe", "pipe"] })
        : spawn(
            "sh",
            // The shell's pipes; what the program is and how it ended comes on descriptor 3.
            ["-c", `cat | { sh -c 'echo pid $$ >&3; exec "$@" 3>&-' sh "$@"; echo exit $? >&3; } | cat`, "sh", ...command],
            { env: environment, stdio: ["pipe", "pipe", "pipe", "pipe"] },
          );
    const { stdin, stdout, stderr } = this.#child;
    // A program that has ended reads nothing.
    stdin!.on("error", () => {});
    if (!paused) this.resume();
    stderr!.setEncoding("utf8").on("data", (text: string) => this.#change(() => (this.#stderr += text)));
    if (over === "sockets") {
      this.#pid = this.#child.pid;
      this.#child.on("close", (code, signal) => this.#change(() => (this.#ended = { code, signal })));
    } else {
      let said = "";
      const told = this.#child.stdio[3] as NodeJS.ReadableStream;
      told.setEncoding("utf8").on("data", (text: string) =>
        this.#change(() => {
          said += text;
          const pid = /pid (\d+)\n/.exec(said);
          if (pid) this.#pid = Number(pid[1]);
          // The shell waits for the one who feeds the program, too.
          if (said.includes("exit ")) stdin!.destroy();
        }),
      );
      this.#child.on("close", () =>
        this.#change(() => {
          const status = Number(/exit (\d+)\n/.exec(said)?.[1]);
          this.#ended = { code: status, signal: null };
        }),
      );
    }
    stdout!.setEncoding("utf8");
  }

  /** Starts what `extension(offers)` makes, and answers its hello. */
  static async start(offers: string, options: StartOptions = {}): Promise<Program> {
    return await Program.run(extension(offers), options);
  }

  /** Starts a program from its whole source, and answers its hello. */
  static async run(source: string, options: StartOptions = {}): Promise<Program> {
    const program = new Program(write(source, options.ending), options);
    after(() => program.kill());
    if (options.ack !== false) {
      program.send({ ...ACK, ...options.ack });
      if (!options.paused) await program.next("ready");
    }
    return program;
  }

  /** Reads from now on. */
  resume(): void {
    this.#child.stdout!.on("data", (text: string) =>
      this.#change(() => {
        this.#stdout.push(text);
        const lines = text.split("\n");
        lines[0] = this.#begun + lines[0];
        this.#begun = lines.pop()!;
        this.frames.push(...lines.map((line) => JSON.parse(line) as Frame));
      }),
    );
  }

  /** All that it has written, byte for byte. */
  get stdout(): string {
    return this.#stdout.join("");
  }

  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  /** In one write. */
  send(...frames: readonly (Frame | string)[]): void {
    const lines = frames.map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame)));
    this.#child.stdin!.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** Calls a tool, and waits for the answer. */
  async call(name: string, args: object = {}, id = `c${++calls}`): Promise<Frame> {
    this.send({ type: "tool_call", id, name, args });
    return await this.next("tool_result", { id });
  }

  /** The end of what it reads. */
  end(): void {
    this.#child.stdin!.end();
  }

  /** Neither reads nor writes any more. */
  hangUp(): void {
    this.#child.stdin!.destroy();
    this.#child.stdout!.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#pid !== undefined) process.kill(this.#pid, signal);
  }

  kill(): void {
    try {
      if (this.#ended === undefined) this.signal("SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
    // Who writes what nobody reads would keep this test's process for ever.
    this.hangUp();
  }

  /** The next frame that is like it, behind the last that was asked for. */
  async next(type: string, like: Frame = {}): Promise<Frame> {
    const fits = (frame: Frame) =>
      frame["type"] === type && Object.entries(like).every(([name, value]) => frame[name] === value);
    await this.until(() => this.#ended !== undefined || this.frames.slice(this.#seen).some(fits), `a ${type} ${JSON.stringify(like)}`);
    const at = this.frames.findIndex((frame, index) => index >= this.#seen && fits(frame));
    if (at < 0) throw new Error(`it ended without a ${type} ${JSON.stringify(like)}\n${this.#account()}`);
    const frame = this.frames[at]!;
    // Other answers may have come before.
    if (at === this.#seen) this.#seen += 1;
    return frame;
  }

  /** Waits until its stderr has it. */
  async says(text: string | RegExp): Promise<void> {
    await this.until(() => (typeof text === "string" ? this.#stderr.includes(text) : text.test(this.#stderr)), `stderr ${text}`);
  }

  /** How it ended: the exit status, or 128 and the signal. */
  async status(): Promise<number> {
    await this.until(() => this.#ended !== undefined, "its end");
    const { code, signal } = this.#ended!;
    return signal === null ? code! : 128 + { SIGKILL: 9, SIGTERM: 15, SIGINT: 2 }[signal as "SIGKILL"]!;
  }

  /** Waits for what can only be there by something that the program does. */
  async until(holds: () => boolean, what: string): Promise<void> {
    // Only to end a test that would never end.
    const deadline = Date.now() + 60_000;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`waited in vain for ${what}\n${this.#account()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 1_000);
        const waiters = this.#waiters;
        waiters.add(done);
        function done() {
          clearTimeout(timer);
          waiters.delete(done);
          resolve();
        }
      });
    }
  }

  #change(change: () => void): void {
    change();
    for (const waiter of [...this.#waiters]) waiter();
  }

  #account(): string {
    return `${this.frames.length} frames, stdout:\n${this.stdout.slice(-2000)}\nstderr:\n${this.#stderr.slice(-2000)}`;
  }
}

let calls = 0;

/** The text of an answer. */
export function text(frame: Frame): string {
  return frame["content"].map((block: Frame) => block["text"]).join("\n");
}
