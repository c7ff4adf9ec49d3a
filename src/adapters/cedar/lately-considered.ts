import type { Considered } from '../../model/policy-decision.ts';
import type { LookedCall } from './entities.ts';

/**
 * What was considered lately, by who acts and with what. Both come again with every call of a run as the same frozen
 * objects, so only the circumstances have to be compared.
 */
export interface LatelyConsidered {
  get(looked: LookedCall, circumstances: string, consider: () => Considered): Considered;
}

interface Latest {
  readonly circumstances: string;
  readonly considered: Considered;
}

/** What is longer is not worth keeping in memory for every run. */
const SHORT = 4_000;

/** One for each: the calls of a run are mostly made in the same circumstances, as far as anybody looks at them. */
export function latelyConsidered(): LatelyConsidered {
  const latest = new WeakMap<object, WeakMap<object, Latest>>();
  return {
    get: ({ principal, resource }, circumstances, consider) => {
      const known = latest.get(principal)?.get(resource);
      if (known?.circumstances === circumstances) return known.considered;
      const considered = consider();
      const isFixed = [principal, principal.roles, resource].every((part) => Object.isFrozen(part));
      const lasts = considered.ruling.errors.length === 0 && isFixed && circumstances.length <= SHORT;
      if (!lasts) return considered;
      const byTool = latest.get(principal) ?? new WeakMap<object, Latest>();
      byTool.set(resource, { circumstances, considered });
      latest.set(principal, byTool);
      return considered;
    },
  };
}
