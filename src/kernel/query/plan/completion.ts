import { isMetByAnswer } from '../../../model/plan/goal.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecToArray } from '../../state/vec.ts';
import { committedFact } from '../evidence/committed.ts';
import { directAnswer, directReply, reasoningOf } from './reasoning.ts';
import { doneSteps, nextStep } from './steps.ts';

/** The result of the completion check: the evidence of a permitted end, or the reason why the run goes on. */
export type Completion =
  | { readonly permitted: true; readonly evidenceId: string }
  | { readonly permitted: false; readonly reason: string };

/** Whether the goal declares no criteria of its own, so the planner proposes the end. */
export const endsByAnswer = ({ intake }: RunState): boolean =>
  intake.goal?.acceptance_criteria.some(isMetByAnswer) ?? false;

/** The completion check. It decides from committed state alone whether the proposed end of a run is permitted. */
export function checkCompletion(env: KernelEnv, state: RunState): Completion {
  const evidenceId = proposedEnd(env, state);
  if (evidenceId !== null && directReply(state) !== null) return { permitted: true, evidenceId };
  if (evidenceId === null) return refused('the end has not been proposed: decide respond when every part is answered');
  const isTask = reasoningOf(state).needed !== 'direct';
  if (isTask && !doneSteps(state).some(({ step }) => env.tools.get(step.tool)?.speaks === undefined))
    return refused('nothing has been observed that could answer the request: use a capability first');
  // In newer runs the end itself waits for a person, because another plan cannot find out what became of a call.
  if (!hasRule(state, 'tools_in_doubt') && Object.values(state.work.doubts).some(({ decided }) => !decided))
    return refused('the effect of a call is unknown: the request is not answered before it is known');
  return { permitted: true, evidenceId };
}

const refused = (reason: string): Completion => ({ permitted: false, reason });

/**
 * The evidence of the proposed end: the committed `respond` step at the end of the plan, the model's own answer, or the
 * last result of a plan of the host, which has no `respond`. Null if the end is not proposed.
 */
function proposedEnd(env: KernelEnv, state: RunState): string | null {
  const { active } = state.planning;
  if (active === null || nextStep(state) !== null) return null;
  if ((directAnswer(state) ?? directReply(state)) !== null) return active.plan.plan_id;
  const last = active.plan.steps.at(-1);
  if (last === undefined) return null;
  if (active.author !== 'host' && env.tools.get(last.tool)?.speaks !== 'respond') return null;
  return committedFact(state, last.id)?.evidenceId ?? null;
}

/** The failed steps of a reactive run whose tool did not succeed later. The answer leaves out their part. */
export function unansweredFailures({ react }: RunState): readonly string[] {
  const open = new Map<string, string>();
  for (const message of vecToArray(react.messages)) {
    if (message.kind !== 'observation') continue;
    if (message.outcome === 'ok') open.delete(message.tool);
    else open.set(message.tool, message.step_id);
  }
  return [...open.values()];
}
