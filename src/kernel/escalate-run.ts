import type { Effect } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { Stop } from '../model/stop.ts';
import { renderVerdict } from './checkpointing.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { canWalk, walk } from './walk.ts';

/**
 * Hands the run to somebody with more authority. Where the graph has no place for that, or the run was started
 * with nobody to wait for, it ends with the code of what went wrong; either way the escalation is recorded.
 */
export function escalateRun(env: KernelEnv, state: RunState, trigger: EscalationTrigger, stop: Stop): Reaction {
  const [judged, checkpoint] = renderVerdict(state, 'escalate', state.current?.stepId ?? null);
  const pending: RunState = {
    ...judged,
    people: { ...judged.people, escalation: { trigger, recipient: '', stop }, decision: null },
  };
  const effects: readonly Effect[] = [...checkpoint, { kind: 'escalate_run', trigger, stop }];
  if (env.limits.onEscalate === 'end' || !canWalk(env, pending, 'human_approval')) {
    return [raise(pending, stop), effects];
  }
  return [walk(env, pending, 'human_approval'), effects];
}

/** The next action does not fit what is left. Only a person may give more. */
export function overBudget(
  env: KernelEnv,
  state: RunState,
  refusal: { readonly dimension: string; readonly needed: number; readonly left: number },
): Reaction {
  const { dimension, needed, left } = refusal;
  return escalateRun(env, state, 'budget_limit', {
    code: 'BUDGET_EXHAUSTED',
    reason: 'budget_exhausted',
    detail: { dimension, needed, left },
  });
}
