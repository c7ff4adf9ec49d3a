import type { Effect } from '../../../model/events/effect.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import type { KernelEnv } from '../../env.ts';
import { canSpecialistTakeOver } from '../../query/gate/escalation.ts';
import { byCause } from '../../query/gate/escalation-cause.ts';
import type { RunState } from '../../state/run-state.ts';
import { renderVerdict } from '../../transition/checkpoint.ts';
import { type Reaction, raise } from '../../transition/reaction.ts';
import { canWalk, isAtNode, walk } from '../../transition/walk.ts';

/**
 * Escalates the run. It ends with the stop if its graph has no approval node, if escalations end it, if it is for a
 * single call, or if it is a lane. The escalation is recorded in any case. `refs` are ids that the recipient has to
 * inspect.
 */
export function escalateRun(
  env: KernelEnv,
  state: RunState,
  planned: EscalationTrigger,
  reached: Stop,
  inspected: readonly string[] = [],
): Reaction {
  const { trigger, stop, refs } = byCause(state, { trigger: planned, stop: reached, refs: inspected });
  const [judged, checkpoint] = renderVerdict(env, state, 'escalate', state.current?.stepId ?? null);
  const expiresAt = state.now + env.limits.gateTtlMs;
  const escalation = { trigger, recipient: '', stop, packetHash: null, expiresAt };
  const pending: RunState = {
    ...judged,
    people: { ...judged.people, escalation, decision: null },
  };
  const effects: readonly Effect[] = [...checkpoint, { kind: 'escalate_run', trigger, stop, refs }];
  // The specialist model takes over at once, so the run does not wait.
  if (trigger === 'low_confidence' && canSpecialistTakeOver(env, pending)) return [pending, effects];
  // An answer under review is withheld at its node, which every graph has.
  if (trigger === 'regulated_review' && env.limits.onEscalate !== 'end') return [pending, effects];
  const endsRun =
    env.limits.onEscalate === 'end' || state.intake.goal?.call !== undefined || isHandedBack(state, trigger);
  if (endsRun || env.graph.idOf('human_approval') === null) {
    return [raise(pending, stop), effects];
  }
  if (isAtWaitingNode(env, pending) || (isAtNode(env, pending, 'completion_check') && trigger === 'call_in_doubt'))
    return [pending, effects];
  if (!canWalk(env, pending, 'human_approval')) return [raise(pending, stop), effects];
  return [walk(env, pending, 'human_approval'), effects];
}

/** A lane hands back to its parent by ending. Only a call in doubt needs a person. */
const isHandedBack = ({ laneContext }: RunState, trigger: EscalationTrigger): boolean =>
  laneContext !== undefined && trigger !== 'call_in_doubt';

/** The run stays at the plan node, where it can ask the planner again, or at the approval node, where it waits. */
const isAtWaitingNode = (env: KernelEnv, state: RunState): boolean =>
  isAtNode(env, state, 'plan') || isAtNode(env, state, 'human_approval');

/** Escalates because a model recommended it. Null if none did. */
export function handleRecommendation(env: KernelEnv, state: RunState): Reaction | null {
  if (!state.people.recommended) return null;
  const accepted = { ...state, people: { ...state.people, recommended: false } };
  return escalateRun(env, accepted, 'workflow_issue', { code: 'REVIEW_REQUIRED', reason: 'recommended_by_model' });
}

/** A budget shortage. `role` is set if only the share of that role is used up. */
export interface BudgetShortfall {
  readonly dimension: string;
  readonly needed: number;
  readonly left: number;
  readonly role?: string;
}

/** Escalates an action, or for `early_stop` a plan, that exceeds the budget. Only a person may extend it. */
export function escalateOverBudget(
  env: KernelEnv,
  state: RunState,
  { dimension, needed, left, role }: BudgetShortfall,
  reason: 'budget_exhausted' | 'early_stop' = 'budget_exhausted',
): Reaction {
  const detail = { dimension, needed, left, ...(role === undefined ? {} : { role }) };
  return escalateRun(env, state, 'budget_limit', { code: 'BUDGET_EXHAUSTED', reason, detail });
}
