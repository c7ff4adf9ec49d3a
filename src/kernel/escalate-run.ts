import type { Effect } from '../model/effect.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { Stop } from '../model/stop.ts';
import { renderVerdict } from './checkpointing.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import type { Reaction } from './reaction.ts';
import { mayTakeOver } from './specialist.ts';
import type { RunState } from './state.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/**
 * Hands the run to somebody with more authority. Where the graph has no place for that, or the run was started
 * with nobody to wait for, as one for a single call is, it ends with the code of what went wrong; either way the escalation is recorded. `refs` are
 * the ids of what the recipient has to look at.
 */
export function escalateRun(
  env: KernelEnv,
  state: RunState,
  trigger: EscalationTrigger,
  stop: Stop,
  refs: readonly string[] = [],
): Reaction {
  const [judged, checkpoint] = renderVerdict(env, state, 'escalate', state.current?.stepId ?? null);
  const expiresAt = state.now + env.limits.gateTtlMs;
  const escalation = { trigger, recipient: '', stop, packetHash: null, expiresAt };
  const pending: RunState = {
    ...judged,
    people: { ...judged.people, escalation, decision: null },
  };
  const effects: readonly Effect[] = [...checkpoint, { kind: 'escalate_run', trigger, stop, refs }];
  // Whoever takes over at once is not waited for.
  if (trigger === 'low_confidence' && mayTakeOver(env, pending)) return [pending, effects];
  // An answer is withheld where it was made; every graph has that place.
  if (trigger === 'regulated_review' && env.limits.onEscalate !== 'end') return [pending, effects];
  const alone = env.limits.onEscalate === 'end' || state.intake.goal?.call !== undefined || handsBack(state, trigger);
  if (alone || env.graph.idOf('human_approval') === null) {
    return [raise(pending, stop), effects];
  }
  if (staysPut(env, pending)) return [pending, effects];
  if (!canWalk(env, pending, 'human_approval')) return [raise(pending, stop), effects];
  return [walk(env, pending, 'human_approval'), effects];
}

/** A lane that cannot go on hands back to the run above it, by ending. Only what may have happened is for people to say. */
const handsBack = ({ seat }: RunState, trigger: EscalationTrigger): boolean =>
  seat !== undefined && trigger !== 'call_in_doubt';

/** Who is to plan waits where plans are made, since from there the way on is to ask again; who waits already, waits on. */
const staysPut = (env: KernelEnv, state: RunState): boolean =>
  standsOn(env, state, 'plan') || standsOn(env, state, 'human_approval');

/** Hands over because a model asked for it, or null where none did. */
export function heedRecommendation(env: KernelEnv, state: RunState): Reaction | null {
  if (!state.people.recommended) return null;
  const heeded = { ...state, people: { ...state.people, recommended: false } };
  return escalateRun(env, heeded, 'workflow_issue', { code: 'REVIEW_REQUIRED', reason: 'recommended_by_model' });
}

/** What does not fit, and into what. `role` where the run has enough and only this role's share is spent. */
export interface Shortfall {
  readonly dimension: string;
  readonly needed: number;
  readonly left: number;
  readonly role?: string;
}

/** The next action does not fit what is left, or, for `early_stop`, all that is still to come does not. Only a person may give more. */
export function overBudget(
  env: KernelEnv,
  state: RunState,
  { dimension, needed, left, role }: Shortfall,
  reason: 'budget_exhausted' | 'early_stop' = 'budget_exhausted',
): Reaction {
  const detail = { dimension, needed, left, ...(role === undefined ? {} : { role }) };
  return escalateRun(env, state, 'budget_limit', { code: 'BUDGET_EXHAUSTED', reason, detail });
}
