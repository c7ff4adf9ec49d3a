import { canonicalize } from '../../model/canonical.ts';
import type { Json } from '../../model/json.ts';
import type { Looked, LookedCall } from './entities.ts';
import { type CedarValues, NOTHING_FOUND } from './values.ts';

/** What was looked at of the circumstances of a call, in canonical form: the same whatever order it was found in. */
export function circumstancesText({ args, evidence, plain, remaining }: LookedCall): string {
  const documents = `"args":${tablesText(args)},"evidence":${tablesText(evidence)}`;
  return `${documents},"plain":${canonicalize(plain as Json)},"remaining":${canonicalize(remaining)}`;
}

/** All that was looked at. */
export function textOf(looked: Looked, circumstances: string | null): string {
  if (looked.action !== 'call_tool' || circumstances === null) return canonicalize(looked as unknown as Json);
  const { action, principal, resource } = looked;
  return `{"action":"${action}",${circumstances},"principal":${partText(principal)},"resource":${partText(resource)}}`;
}

const NOTHING: string = canonicalize(NOTHING_FOUND as unknown as Json);

function tablesText(values: CedarValues | null): string {
  return values === NOTHING_FOUND ? NOTHING : canonicalize(values as unknown as Json);
}

const partText = (part: object): string => canonicalize(part as Json);
