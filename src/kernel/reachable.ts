import type { AcceptanceCriterion } from '../model/goal.ts';
import type { Stop } from '../model/stop.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';

/** Why no plan could ever reach the goal: something it needs is known to nobody and no tool of this run can find it out. */
export function whyImpossible(env: KernelEnv, state: RunState): Stop | null {
  const blocked = state.intake.goal?.acceptance_criteria.find((criterion) => isBlocked(env, state, criterion));
  if (blocked === undefined) return null;
  const { id, statement, evidence = '' } = blocked;
  const blocker = `no tool of this run supplies ${evidence}, and without it nothing shows: ${statement}`;
  // Tools that could, if this run might use them: whoever reads the ending knows what to ask for.
  const withheld = env.tools.specs.filter(({ produces }) => produces.includes(evidence)).map(({ name }) => name);
  return { code: 'IMPOSSIBLE', reason: 'capability_missing', detail: { criterion: id, evidence, blocker, withheld } };
}

function isBlocked(env: KernelEnv, state: RunState, { rank, evidence }: AcceptanceCriterion): boolean {
  if (rank !== 'primary' || evidence === undefined) return false;
  if (Object.hasOwn(state.work.evidenceByType, evidence)) return false;
  return !state.intake.token?.allowed_tools.some((name) => {
    const spec = env.tools.get(name);
    return spec?.active === true && spec.produces.includes(evidence);
  });
}
