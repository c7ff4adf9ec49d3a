import type { Json } from '../../model/json.ts';
import { sameJson } from '../../model/json-at.ts';
import type { Considered } from '../../model/policy-decision.ts';
import type { LookedCall, Plain } from './look.ts';
import { callText, circumstancesText } from './looked-text.ts';

/**
 * What was considered lately, by who acts and with what. Both come again with every call of a run as the same frozen
 * objects, so only the circumstances have to be compared, and nothing is written out where they are the same.
 */
export interface LatelyConsidered {
  get(looked: LookedCall, consider: (text: string) => Considered): Considered;
}

interface Latest {
  readonly looked: LookedCall;
  readonly considered: Considered;
}

/** What is longer is not worth keeping in memory for every run. */
const SHORT = 4_000;

/** So many are kept at once: who acts stays for long, and would keep what was considered with every tool. */
const KEPT_MAX = 5_000;

/** One for each: the calls of a run are mostly made in the same circumstances, as far as anybody looks at them. */
export function latelyConsidered(): LatelyConsidered {
  let latest = new WeakMap<object, WeakMap<object, Latest>>();
  let kept = 0;
  const toolsOf = (principal: object): WeakMap<object, Latest> => latest.get(principal) ?? new WeakMap();
  const keep = (looked: LookedCall, considered: Considered): void => {
    if (!toolsOf(looked.principal).has(looked.resource)) kept += 1;
    if (kept > KEPT_MAX) [latest, kept] = [new WeakMap(), 1];
    const byTool = toolsOf(looked.principal);
    byTool.set(looked.resource, { looked, considered });
    latest.set(looked.principal, byTool);
  };
  return {
    get: (looked, consider) => {
      const known = latest.get(looked.principal)?.get(looked.resource);
      if (known !== undefined && inSameCircumstances(known.looked, looked)) return known.considered;
      const circumstances = circumstancesText(looked);
      const considered = consider(callText(looked, circumstances));
      const lasts = considered.ruling.errors.length === 0 && circumstances.length <= SHORT;
      if (lasts && isFixed(looked)) keep(looked, considered);
      return considered;
    },
  };
}

const isFixed = ({ principal, resource }: LookedCall): boolean =>
  Object.isFrozen(principal) && Object.isFrozen(principal.roles) && Object.isFrozen(resource);

const inSameCircumstances = (a: LookedCall, b: LookedCall): boolean =>
  samePlain(a.plain, b.plain) && same(a.remaining, b.remaining) && same(a.args, b.args) && same(a.evidence, b.evidence);

function samePlain(a: Plain, b: Plain): boolean {
  if (a.names !== b.names) return false;
  for (let place = 0; place < a.names.length; place += 1) if (!same(a.values[place], b.values[place])) return false;
  return true;
}

/** Mostly it is the very same, as nothing of it is there. */
const same = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && sameJson(a as Json, b as Json));
