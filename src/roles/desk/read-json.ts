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

function* candidates(text: string): Generator<string> {
  yield text;
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n?```/u.exec(text)?.[1];
  if (fenced !== undefined) yield fenced;
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from >= 0 && to > from) yield text.slice(from, to + 1);
}
