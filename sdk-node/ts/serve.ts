/** One extension that runs: what the native half tells goes to the author's handlers. */

import { answerApproval } from "./adviser.js";
import { Context } from "./context.js";
import { decide, type Asking } from "./decide.js";
import { refuseDecision } from "./decision.js";
import type { Caller } from "./definition.js";
import { isAbort, ToolError } from "./errors.js";
import { commandFailureOf, failureOf } from "./failed.js";
import { Host, type Ack } from "./host.js";
import { encodeJson } from "./json.js";
import { read } from "./misreturned.js";
import { frameOf, type Event } from "./moment.js";
import { Kind, native, type Reader, type Session, type SessionOptions } from "./native.js";
import type { Handler, Offer, Registered, RegisteredEvent } from "./offer.js";
import { inputOf } from "./panel.js";
import { withParts } from "./parts.js";
import { Actions } from "./pending.js";
import { Questions } from "./questions.js";
import { encodeResponse } from "./response.js";
import { runTool } from "./run-tool.js";
import { SocketReader } from "./socket-reader.js";
import { inOrder, isThenable } from "./thenable.js";

/** What a host in the same process, or one that runs the extension, wants to know. */
export interface Observer {
  /** Everything is answered and written. */
  finished(exitCode: number): void;
  /** Stdin and stdout cannot be used. */
  failed(error: Error): void;
  /** A handler whose outcome nobody waits for has failed: of an event, of a panel, setup, teardown. */
  handlerFailed?(what: string, thrown: unknown): void;
  /** The end has begun; the process is ended in so many milliseconds, where it is the extension's. */
  shuttingDown?(milliseconds: number | undefined): void;
  /** Bytes move by its hand; only with the reader `bytes`. */
  wants?(input: boolean, due: number | undefined): void;
}

/** How a session is made. */
export interface ServeOptions {
  reader: Reader;
  over?: [number, number];
  /** The other end of stdin and stdout is an MCP client. */
  mcp?: boolean;
}

/** One extension that runs. */
export class Serving {
  readonly session: Session;
  readonly questions: Questions;
  readonly actions = new Actions();
  readonly #offer: Offer;
  readonly #observer: Observer;
  #sockets: SocketReader | undefined;
  /** The contexts of handlers that have not ended, by the serials of their calls. */
  readonly #running = new Map<number, Context>();
  /** Those of handlers that answer nobody. */
  readonly #others = new Set<Context>();
  #host: Host | undefined;
  #isSetUp = false;
  #hasEnded = false;

  constructor(offer: Offer, observer: Observer, options: ServeOptions) {
    this.#offer = offer;
    this.#observer = observer;
    const config: SessionOptions = {
      name: offer.name,
      version: offer.version,
      methods: [...offer.methods.keys()],
      stateVersion: offer.stateVersion,
      teardown: offer.teardowns.length > 0,
      forgetsSigterm: process.listenerCount("SIGTERM") === 0,
      mcp: false,
      ...options,
    };
    this.session = new native.Session(config, offer.registrations, this.#deliver);
    this.questions = new Questions(this.session);
    if (options.reader !== "bytes" && !this.session.isNative) this.#sockets = new SocketReader(this.session);
  }

  /** Says hello, and serves from now on. */
  begin(): void {
    this.#sockets?.begin();
    this.session.begin();
  }

  /** Whether the host has been told what to ask and to tell: it takes no more of that. */
  get isReady(): boolean {
    return this.#isSetUp;
  }

  /** Whether the session is over: nothing can be said any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The host, once it has answered. */
  get host(): Host {
    if (this.#host === undefined) throw new Error("the host has not answered yet: ask in setup, or in a handler");
    return this.#host;
  }

  /** No exception leaves it but by a mistake of this package's own. */
  readonly #deliver = (
    kind: Kind,
    serial: number,
    number: number | undefined,
    text = "",
    more: string | undefined,
    deadline: number | undefined,
    flag: boolean,
  ): boolean => {
    switch (kind) {
      case Kind.Tool: {
        const tool = this.#offer.tools[number ?? -1]!;
        const ctx = new Context(this, serial, text, more, deadline, flag);
        const waits = runTool(this.session, tool, ctx, text, () => this.#running.delete(serial));
        if (waits) this.#running.set(serial, ctx);
        return waits;
      }
      case Kind.Command:
        return this.#command(serial, text, more ?? "");
      case Kind.Intercept:
        return this.#intercept(serial, text, number ?? 0, more ?? "{}", deadline);
      case Kind.Request:
        return this.#request(new Context(this, serial, undefined, undefined, deadline, flag), text, more);
      case Kind.Approval:
        return this.#approval(new Context(this, serial, undefined, undefined, deadline, flag), text, more);
      case Kind.Event:
        return this.#event(text, more ?? "{}");
      case Kind.Panel:
        return this.#panel(text, more ?? "{}");
      case Kind.Cancelled:
        this.#running.get(serial)?.cancel();
        return true;
      case Kind.Part:
        this.questions.deliverPart(serial, text);
        return true;
      case Kind.Answer:
        this.questions.deliver(serial, text, flag);
        return true;
      case Kind.Accepted:
        return this.#accepted(JSON.parse(text) as Ack);
      case Kind.Teardown:
        return this.#teardown();
      case Kind.ShuttingDown:
        this.#observer.shuttingDown?.(number);
        for (const ctx of [...this.#running.values(), ...this.#others]) ctx.cancel();
        return true;
      case Kind.Finished:
        this.#hasEnded = true;
        if (text !== "") this.#observer.handlerFailed?.("teardown", new Error(text));
        this.#sockets?.end();
        this.#observer.finished(number ?? 0);
        return true;
      case Kind.Failed:
        this.#hasEnded = true;
        this.#sockets?.end();
        this.#observer.failed(new Error(text));
        return true;
      case Kind.Wants:
        if (this.#sockets) this.#sockets.wants(flag, deadline);
        else this.#observer.wants?.(flag, deadline);
        return false;
    }
  };

  // The beginning and the end.

  #accepted(ack: Ack): boolean {
    const host = new Host(ack, this.session);
    this.#host = host;
    try {
      this.#offer.config.begin(this.session);
    } catch (thrown) {
      this.#failed(thrown, "the configuration");
      // EX_CONFIG, as where something required is missing.
      this.session.end(78);
      return false;
    }
    const { setups } = this.#offer;
    if (setups.length === 0) {
      this.#setUp();
      return false;
    }
    this.session.settingUp(true);
    const ctx = this.#begin();
    let code: number | undefined;
    const run = (setup: (ctx: Context) => unknown) => (code === undefined ? setup(ctx) : undefined);
    const failed = (thrown: unknown) => {
      code = this.session.setupExitCode(isAbort(thrown));
      if (code !== 0) this.#failed(thrown, "setup");
    };
    return inOrder(setups, run, failed, () => {
      this.#others.delete(ctx);
      this.session.settingUp(false);
      if (code === undefined) this.#setUp();
      else this.session.end(code);
    });
  }

  /** The configuration as it is now. */
  get config(): object {
    return this.#offer.config.value;
  }

  #setUp(): void {
    this.#isSetUp = true;
    this.session.ready();
  }

  /** Everything is answered. Only after a whole setup is there something to take down. */
  #teardown(): boolean {
    const ctx = this.#begin();
    const failed = (thrown: unknown) => this.#failed(thrown, "teardown");
    const teardowns = this.#isSetUp ? this.#offer.teardowns : [];
    return inOrder(teardowns, (teardown) => teardown(ctx), failed, () => {
      this.#others.delete(ctx);
      this.session.teardownDone();
    });
  }

  // What is not answered.

  #event(name: string, text: string): boolean {
    const ctx = this.#begin();
    const event = frameOf(text);
    let author: Caller | undefined;
    const run = (registered: Registered<Event>) => {
      author = registered.author;
      const returned = registered.handler(event, ctx);
      const heard = (value: unknown) => refuseDecision(event, value);
      return isThenable(returned) ? returned.then(heard) : heard(returned);
    };
    const failed = (thrown: unknown) => this.#failed(thrown, `the handler of the event ${name}`, author);
    const tool = typeof event["toolName"] === "string" ? event["toolName"] : undefined;
    const wants = ({ tools }: RegisteredEvent) => tools === undefined || native.fitsTools(tools, tool);
    return inOrder((this.#offer.events.get(name) ?? []).filter(wants), run, failed, () => {
      this.#others.delete(ctx);
      this.session.eventDone(name);
    });
  }

  #panel(id: string, text: string): boolean {
    const ctx = this.#begin();
    const handler = this.#offer.panels.get(id);
    const failed = (thrown: unknown) => this.#failed(thrown, `the handler of the panel ${id}`, handler?.author);
    // One without a handler only shows something.
    return inOrder(handler ? [handler] : [], (one) => one.handler(inputOf(text), ctx), failed, () => {
      this.#others.delete(ctx);
      this.session.panelDone(id);
    });
  }

  #failed(thrown: unknown, what: string, author?: Caller): void {
    failureOf(thrown, what, author);
    this.#observer.handlerFailed?.(what, thrown);
  }

  /** The context of a handler that answers nobody. */
  #begin(): Context {
    const ctx = new Context(this);
    this.#others.add(ctx);
    return ctx;
  }

  // What is answered.

  #command(serial: number, name: string, args: string): boolean {
    const registered = this.#offer.commands.get(name);
    const answer = (returned: unknown) => this.session.answer(serial, read(() => encodeResponse(returned)));
    const failed = (thrown: unknown) =>
      this.session.fail(serial, "internal", commandFailureOf(thrown, name, registered?.author).toWellFormed());
    return this.#call(new Context(this, serial), registered?.handler, args, answer, failed);
  }

  #request(ctx: Context, method: string, params: string | undefined): boolean {
    const answer = (returned: unknown) => {
      const result = read(() => encodeJson(returned === undefined ? null : returned));
      this.session.answer(ctx.serial, `{"result":${result}}`);
    };
    return this.#asked(ctx, `method ${method}`, this.#offer.methods.get(method) ?? this.actions.resolver(method), params, answer);
  }

  #approval(ctx: Context, tool: string, args: string | undefined): boolean {
    const answer = (advised: unknown) => answerApproval(this.session, ctx.serial, advised);
    return this.#asked(ctx, `gated of the tool ${tool}`, this.#offer.advisers.get(tool), args, answer);
  }

  #asked(
    ctx: Context,
    what: string,
    registered: Registered<unknown> | undefined,
    text: string | undefined,
    answer: (returned: unknown) => void,
  ): boolean {
    const failed = (thrown: unknown) => {
      if (ctx.cancelled && isAbort(thrown)) return this.session.fail(ctx.serial, "cancelled", "cancelled");
      const kind = thrown instanceof ToolError ? thrown.kind : "internal";
      const message = thrown instanceof ToolError ? thrown.message : failureOf(thrown, what, registered?.author);
      this.session.fail(ctx.serial, kind, message.toWellFormed());
    };
    const handler = registered && ((value: unknown) => withParts(registered.handler(value, ctx), ctx));
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return this.#call(ctx, handler, value, answer, failed);
  }

  #call<Value>(
    ctx: Context,
    handler: Handler<Value> | undefined,
    value: Value,
    answer: (returned: unknown) => void,
    failed: (thrown: unknown) => void,
  ): boolean {
    try {
      const returned = handler?.(value, ctx);
      if (!isThenable(returned)) {
        answer(returned);
        ctx.over();
        return false;
      }
      this.#running.set(ctx.serial, ctx);
      const ended = () => (ctx.over(), void this.#running.delete(ctx.serial));
      returned.then(answer).then(undefined, failed).then(ended);
      return true;
    } catch (thrown) {
      failed(thrown);
      ctx.over();
      return false;
    }
  }

  #intercept(serial: number, point: string, turn: number, frame: string, deadline: number | undefined): boolean {
    const ctx = new Context(this, serial, undefined, undefined, deadline);
    const asking: Asking<Handler<never>> = {
      session: this.session,
      serial,
      interceptors: this.#offer.interceptors.get(point) ?? [],
      guards: this.#offer.guards,
      run: (handler, moment) => handler(moment as never, ctx),
      over: () => (ctx.over(), void this.#running.delete(serial)),
    };
    const waits = decide(asking, turn, frame);
    if (waits) this.#running.set(serial, ctx);
    return waits;
  }
}
