import { canonicalize } from '../../model/canonical.ts';
import type { Json } from '../../model/json.ts';
import type { Looked } from './entities.ts';
import { type CedarValues, NOTHING_FOUND } from './values.ts';

/** What was looked at, in its canonical form: the same whatever order it was put together in. */
export function textOf(looked: Looked): string {
  if (looked.action !== 'call_tool') return canonicalize(looked as unknown as Json);
  const { action, args, evidence, plain, principal, remaining, resource } = looked;
  const documents = `"args":${tablesText(args)},"evidence":${tablesText(evidence)}`;
  const run = `"plain":${canonicalize(plain as Json)},"principal":${partText(principal)}`;
  return `{"action":"${action}",${documents},${run},"remaining":${canonicalize(remaining)},"resource":${partText(resource)}}`;
}

const NOTHING: string = canonicalize(NOTHING_FOUND as unknown as Json);

function tablesText(values: CedarValues | null): string {
  return values === NOTHING_FOUND ? NOTHING : canonicalize(values as unknown as Json);
}

/** The text of frozen parts that come again with every request: who acts, and with what. */
const TEXTS = new WeakMap<object, string>();

function partText(part: object): string {
  const known = TEXTS.get(part);
  if (known !== undefined) return known;
  const text = canonicalize(part as Json);
  if (Object.isFrozen(part)) TEXTS.set(part, text);
  return text;
}
