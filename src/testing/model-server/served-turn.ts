import type { Json } from '../../model/json/json.ts';

/** A model's answer, independent of the wire format. */
export interface ModelReply {
  readonly text?: string;
  /** Sent as JSON text. */
  readonly json?: Json;
  /** The model's reasoning, if the wire format has a field for it. */
  readonly reasoning?: string;
  /** Tool calls. Arguments that are a string are sent as they are, JSON or not. */
  readonly calls?: readonly { readonly tool: string; readonly args: Json }[];
  /** `length` for a truncated answer, `refusal` for a declined one. */
  readonly finish?: 'stop' | 'length' | 'refusal';
  /** Null for a provider that does not report usage. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly model?: string;
}

/** Failures instead of an answer, or during it. */
export interface ReplyFailure {
  /** An error of the provider with its message. `retryAfter` is the header's value: seconds or a date. */
  readonly status?: number;
  readonly message?: string;
  readonly retryAfter?: string;
  /** A raw body, with status 200 or `status`. */
  readonly raw?: string;
  /** The server sends nothing, or nothing after the first half of the answer. */
  readonly hangs?: 'at_once' | 'half_way';
  /** The server resets the connection. */
  readonly resets?: 'at_once' | 'half_way';
}

/** One turn of a script: a text, or an answer with details and failures. */
export type ServedTurn = string | (ModelReply & ReplyFailure);

export interface ServedRequest {
  readonly wire: 'openai' | 'anthropic';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streaming: boolean;
}

export const USUAL_USAGE: NonNullable<ModelReply['usage']> = { input_tokens: 100, output_tokens: 50 };

export const servedText = ({ text, json }: ModelReply): string =>
  json === undefined ? (text ?? '') : JSON.stringify(json);

/** Splits a text into pieces of complete characters, as models stream it: several per sentence, at most about 50. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text];
  const size = Math.max(5, Math.ceil(characters.length / 50));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}

export const argsText = (args: Json): string => (typeof args === 'string' ? args : JSON.stringify(args));
