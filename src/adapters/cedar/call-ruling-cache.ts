import type { Json } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import type { PolicyRuling } from '../../model/policy/policy-decision.ts';
import { callText, circumstancesText } from './call-text.ts';
import type { Plain, ReadCall } from './read-parts.ts';

/**
 * A cache of the last ruling per principal and tool. All calls of a run pass the same frozen principal and tool
 * objects, so only the circumstances are compared; a hit needs no canonical text.
 */
export interface CallRulingCache {
  get(looked: ReadCall, rule: (text: string) => PolicyRuling): PolicyRuling;
}

interface Latest {
  readonly looked: ReadCall;
  readonly ruling: PolicyRuling;
}

/** Longer circumstances are not cached, to save memory per run. */
const SHORT = 4_000;

/** The maximum number of entries. It is needed because a principal can live long and has one entry per tool. */
const KEPT_MAX = 5_000;

/** One entry per principal and tool is enough, because the calls of a run mostly have the same circumstances. */
export function callRulingCache(): CallRulingCache {
  let latest = new WeakMap<object, WeakMap<object, Latest>>();
  let kept = 0;
  const toolsOf = (principal: object): WeakMap<object, Latest> => latest.get(principal) ?? new WeakMap();
  const keep = (looked: ReadCall, ruling: PolicyRuling): void => {
    if (!toolsOf(looked.principal).has(looked.resource)) kept += 1;
    if (kept > KEPT_MAX) [latest, kept] = [new WeakMap(), 1];
    const byTool = toolsOf(looked.principal);
    byTool.set(looked.resource, { looked, ruling });
    latest.set(looked.principal, byTool);
  };
  return {
    get: (looked, rule) => {
      const known = latest.get(looked.principal)?.get(looked.resource);
      if (known !== undefined && inSameCircumstances(known.looked, looked)) return known.ruling;
      const circumstances = circumstancesText(looked);
      const ruling = rule(callText(looked, circumstances));
      const lasts = ruling.errors.length === 0 && circumstances.length <= SHORT;
      if (lasts && isFixed(looked)) keep(looked, ruling);
      return ruling;
    },
  };
}

const isFixed = ({ principal, resource }: ReadCall): boolean =>
  Object.isFrozen(principal) && Object.isFrozen(principal.roles) && Object.isFrozen(resource);

const inSameCircumstances = (a: ReadCall, b: ReadCall): boolean =>
  samePlain(a.plain, b.plain) && same(a.remaining, b.remaining) && same(a.args, b.args) && same(a.evidence, b.evidence);

function samePlain(a: Plain, b: Plain): boolean {
  if (a.names !== b.names) return false;
  for (let place = 0; place < a.names.length; place += 1) if (!same(a.values[place], b.values[place])) return false;
  return true;
}

/** Compares by identity first, because both are usually the same shared empty object. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && sameJson(a as Json, b as Json));
