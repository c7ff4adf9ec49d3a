import { askUser } from './ask-user.ts';
import { admitProposal } from './boundary.ts';
import { committedFact } from './committed-fact.ts';
import type { KernelEnv } from './env.ts';
import { questionFrom } from './model-question.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { violation } from './violation.ts';
import { canWalk, walk } from './walk.ts';

/**
 * A plan that ends in a question has come to its end: the user is asked, and whoever plans is asked again with the
 * answer. Null for every other plan. A model that has no right to ask has not asked; that is noted, and the run goes on
 * as after any plan.
 */
export function askAtEnd(
  env: KernelEnv,
  state: RunState,
  goOn: (env: KernelEnv, state: RunState) => Reaction,
): Reaction | null {
  const active = state.planning.active;
  const last = active?.plan.steps.at(-1);
  if (active === null || last === undefined || env.tools.get(last.tool)?.speaks !== 'clarify') return null;
  const asked = committedFact(state, last.id);
  if (asked === null) return null;
  const kind = 'clarification_request';
  const rights = active.author === 'host' ? undefined : state.manifest?.autonomy_boundary.decision_rights;
  const admitted = admitProposal(kind, rights);
  if (!admitted.ok) {
    const [next, effects] = goOn(env, state);
    return [next, [violation('proposal', kind, admitted.message), ...effects]];
  }
  const planning = canWalk(env, state, 'plan') ? walk(env, state, 'plan') : state;
  return askUser(env, planning, questionFrom(asked.value));
}
