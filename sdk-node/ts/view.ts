/**
 * Views: how a person is shown a result, an update, a panel, a widget or a call.
 *
 * A host that shows no views shows the text. `title` is one line above the view. Where a view cannot be shown, the host
 * shows the text and says why.
 */

import type { View, ViewCell, ViewLine, ViewSpan, ViewStyle } from "./services.js";

/** What every view may have. */
export interface ViewOptions {
  /** One line above it. */
  title?: string | undefined;
}

/**
 * Rows and columns. A cell is a string, a number, a boolean, null or {@link styled}; a column of numbers is set to the
 * right.
 */
function table(columns: readonly string[], rows: readonly (readonly ViewCell[])[], options: ViewOptions = {}): View {
  return { kind: "table", ...options, columns, rows };
}

/** How a text has changed, as `diff -u` writes it. */
function diff(text: string, options: ViewOptions = {}): View {
  return { kind: "diff", ...options, text };
}

/** A text in Markdown. */
function markdown(text: string, options: ViewOptions = {}): View {
  return { kind: "markdown", ...options, text };
}

/**
 * Lines: each a string, {@link styled}, or a list of these beside each other. A string is split where it has line
 * feeds.
 */
function lines(lines: string | readonly ViewLine[], options: ViewOptions = {}): View {
  return { kind: "lines", ...options, lines: typeof lines === "string" ? lines.split("\n") : lines };
}

/** Names with their values, in the order of the object. */
function keyvalue(pairs: Readonly<Record<string, ViewCell>>, options: ViewOptions = {}): View {
  return { kind: "keyvalue", ...options, pairs: Object.entries(pairs).map(([key, value]) => ({ key, value })) };
}

/** How much of `max` is used, or done; `unit` says what is counted. */
function meter(value: number, max: number, options: ViewOptions & { unit?: string | undefined } = {}): View {
  return { kind: "meter", ...options, value, max };
}

/** A piece of text in one style or several. */
function styled(text: string, ...style: readonly ViewStyle[]): ViewSpan {
  return { text, style };
}

/** Makes views: a result, an update, a panel, a widget and a tool take them. */
export const view = { table, diff, markdown, lines, keyvalue, meter, styled } as const;
