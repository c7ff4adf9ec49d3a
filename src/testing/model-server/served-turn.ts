import type { Json } from '../../model/json.ts';

/** What a model says, on any wire. */
export interface Said {
  readonly text?: string;
  /** Said as JSON. */
  readonly json?: Json;
  /** What it thought before, where a wire has a place for that. */
  readonly reasoning?: string;
  /** Tools it wants called. Arguments that are a text are sent as they are, JSON or not. */
  readonly calls?: readonly { readonly tool: string; readonly args: Json }[];
  /** `length` for an answer that was cut off, `refusal` for one that was declined. */
  readonly finish?: 'stop' | 'length' | 'refusal';
  /** Null for a provider that does not say. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly model?: string;
}

/** What goes wrong instead, or on the way. */
export interface Trouble {
  /** An error of the provider, with its message. `retryAfter` is seconds or a date, as it stands in the header. */
  readonly status?: number;
  readonly message?: string;
  readonly retryAfter?: string;
  /** A body as it is, with the status 200 or the one above. */
  readonly raw?: string;
  /** Nothing comes, or nothing more after the first half of the answer. */
  readonly hangs?: 'at_once' | 'half_way';
  /** The connection is torn. */
  readonly resets?: 'at_once' | 'half_way';
}

/** One turn of a script: a text, or more about it. */
export type ServedTurn = string | (Said & Trouble);

/** A request as it came. */
export interface ServedRequest {
  readonly wire: 'openai' | 'anthropic';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streaming: boolean;
}

export const USUAL_USAGE: NonNullable<Said['usage']> = { input_tokens: 100, output_tokens: 50 };

export const textOf = ({ text, json }: Said): string => (json === undefined ? (text ?? '') : JSON.stringify(json));

/** In pieces of whole characters, as models speak: several for a sentence, and never very many. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text];
  const size = Math.max(5, Math.ceil(characters.length / 50));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}

export const argsText = (args: Json): string => (typeof args === 'string' ? args : JSON.stringify(args));
