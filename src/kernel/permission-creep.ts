import { canonicalize } from '../model/canonical.ts';
import { findInjection } from '../model/injection/find-injection.ts';
import type { JsonObject } from '../model/json.ts';
import type { RunState } from './state.ts';

/** So much of a proposal is read for wordings; what a stranger makes longer than this says enough by its length. */
const READ_MAX = 100_000;

/**
 * A run that reaches again and again for what it has no right to may be doing somebody else's will. Whoever is told of
 * it is told whether untrusted text had come in, whether the plan was made after that, and what its wording shows.
 */
export function permissionCreep({ planning, counters }: RunState): JsonObject {
  const words = canonicalize(planning.proposal ?? null).slice(0, READ_MAX);
  return {
    denials: counters.denials,
    injection_check: {
      untrusted_text_read: planning.exposed,
      planned_after_untrusted: planning.tainted,
      wordings: findInjection(words),
    },
  };
}
