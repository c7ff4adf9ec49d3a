import { askUser } from './ask-user.ts';
import type { KernelEnv } from './env.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { walk } from './walk.ts';

/** Nobody is sure what is meant: the user is asked, with the readings that are possible. */
export function unclear(env: KernelEnv, state: RunState): Reaction {
  return askUser(env, state, { code: 'AMBIGUOUS_INTENT', fields: ['intent'], readings: state.intake.readings });
}

/** It is clear what is meant; whatever the request lacks is asked for, all of it at once. */
export function classifiedAs(env: KernelEnv, state: RunState): Reaction {
  const missing = missingFields(state);
  if (missing.length > 0) return askUser(env, state, { code: 'MISSING_INFO', fields: missing, readings: [] });
  return [walk(env, state, 'scope_resolution'), [{ kind: 'resolve_scope' }]];
}

/** What the goal says it cannot do without, and nobody has given. */
function missingFields({ intake }: RunState): readonly string[] {
  return intake.goal?.required_fields?.filter((field) => !Object.hasOwn(intake.answers, field)) ?? [];
}
