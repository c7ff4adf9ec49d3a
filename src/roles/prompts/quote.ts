import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';

/**
 * Characters that a text can use to look like something else than a part of one line: control characters, line and
 * paragraph separators, and characters that no reader sees. JSON escapes only some of them.
 */
const DECEPTIVE = /[\u007f-\u009f\u2028\u2029\u2800]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/gu;

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/**
 * Quotes a foreign value as one line of JSON. Nothing in the value can end the line or close the quotes, and the JSON
 * reads as the same value. A value of more than `max` characters becomes the quoted beginning of its JSON, which is
 * closed too. Every prompt quotes with this function.
 */
export function quote(value: Json, max: number = Number.POSITIVE_INFINITY): string {
  const text = canonicalize(value);
  if (text.length <= max) return text.replace(DECEPTIVE, escaped);
  const start = canonicalize(text.slice(0, max).toWellFormed()).replace(DECEPTIVE, escaped);
  return `${start} (cut: ${text.length} characters)`;
}
