/** Handlers may return a promise, or not: what does not wait is answered at once. */

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/**
 * Runs one handler after the other, each after the one before has ended. Whether it has to be waited
 * for; `end` is called once, after the last. A handler's failure goes to `failed`, and the next runs.
 */
export function inOrder<Handler>(
  handlers: readonly Handler[],
  run: (handler: Handler) => unknown,
  failed: (thrown: unknown) => void,
  end: () => void,
): boolean {
  let at = 0;
  const next = (): boolean => {
    while (at < handlers.length) {
      const handler = handlers[at++] as Handler;
      try {
        const returned = run(handler);
        if (isThenable(returned)) {
          returned.then(undefined, failed).then(next);
          return true;
        }
      } catch (thrown) {
        failed(thrown);
      }
    }
    end();
    return false;
  };
  return next();
}
