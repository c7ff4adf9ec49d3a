import type { Json } from '../../model/json.ts';

/** Reads what a model was asked to say as JSON, whether or not it has dressed it up. Undefined where there is none. */
export function readJson(text: string): Json | undefined {
  for (const candidate of candidates(text)) {
    try {
      return JSON.parse(candidate) as Json;
    } catch {
      // The next way of reading it may do better.
    }
  }
  return undefined;
}

const BRACKETS = [
  ['{', '}'],
  ['[', ']'],
] as const;

function* candidates(text: string): Generator<string> {
  yield text;
  const fenced = insideFence(text);
  if (fenced !== null) yield fenced;
  for (const [open, close] of BRACKETS) {
    const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
    if (from >= 0 && to > from) yield text.slice(from, to + 1);
  }
}

const FENCE = '```';

/** What stands between the first fence and the next. Found by looking once: a hostile text makes patterns go back and forth. */
function insideFence(text: string): string | null {
  const open = text.indexOf(FENCE);
  const line = open < 0 ? -1 : text.indexOf('\n', open);
  const close = line < 0 ? -1 : text.indexOf(FENCE, line);
  return close < 0 ? null : text.slice(line, close);
}
