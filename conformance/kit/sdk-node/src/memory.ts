/** The extension, and what it remembers from one call to the next. */
import { setTimeout as sleep } from "node:timers/promises";
import { Extension, type Context } from "extline";

/** What everything says that fails because it was asked to. */
export const MESSAGE = "it was to fail";

export const kit = new Extension("extline-kit", "1.0.0");

/** Names that are held no longer. */
export const released = new Set<string>();
/** Of the events since `order` asked last. */
export const labels: string[] = [];

/** Waits until that is true of what is remembered, or the call is cancelled. */
export async function until(holds: () => boolean, ctx: Context): Promise<void> {
  while (!holds()) await sleep(2, undefined, { signal: ctx.signal });
}

export async function hold(name: string, ctx: Context): Promise<string> {
  await until(() => released.has(name), ctx);
  return `held ${name}`;
}
