/** The native half, as model/src declares it. Values are JSON text. Private to the package. */

import { load } from "../load.js";
import type { Fix } from "./repair.js";
import type { Note } from "./schema.js";

export interface Refusal {
  readonly kind: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  readonly text: string;
}

export interface CallParts {
  readonly name: string;
  readonly json: string;
  readonly id?: string;
  readonly envelope: string;
  readonly fixes: Fix[];
  readonly truncated: boolean;
}

export interface ExtractedParts {
  readonly calls: CallParts[];
  readonly remaining: string;
  readonly envelope?: string;
  readonly repaired: boolean;
  readonly truncated: boolean;
  readonly refused: { readonly envelope: string; readonly reason: string }[];
}

/** One of the two. */
export interface PartParts {
  readonly text?: string;
  readonly call?: CallParts;
}

export interface Tool {
  readonly name: string;
  readonly schema?: string;
}

/** What follows the end of a text is nothing. */
export interface Extracting {
  push(piece: string): PartParts[] | null;
  finish(): { readonly parts: PartParts[]; readonly found: ExtractedParts } | null;
}

interface Native {
  repair(text: string): {
    readonly repaired?: { readonly json: string; readonly fixes: Fix[]; readonly unlisted: number; readonly truncated: boolean };
    readonly refusal?: Refusal;
  };
  extract(text: string, offered: Tool[]): ExtractedParts;
  schemaFor(provider: string, schema: string, name?: string): {
    readonly rendered?: { readonly json: string; readonly notes: Note[] };
    readonly refusal?: Refusal;
  };
  withoutNulls(schema: string, args: string): string;
  readonly Extracting: new (offered: Tool[]) => Extracting;
}

export const native = load("extline-model") as Native;
