import type { EffectOf } from '../../model/effect.ts';
import type { EffectEnd } from '../../model/effect-outcome.ts';
import { NO_COST } from '../../model/tool.ts';
import type { KernelEnv } from '../env.ts';
import { impossible, NOTHING, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { isHeld, unsuspend } from '../suspend.ts';
import { madeEffects, unclearEffects } from './made-effects.ts';
import type { MadeEffect, Rollback } from './rollback.ts';

/** Turns an abandoned run round: from here on it only takes back what it has done. Null where there is nothing to. */
export function beginRollback(env: KernelEnv, state: RunState): Reaction | null {
  if (state.now >= state.session.expiresAt || state.manifest === null) return null;
  const left = madeEffects(env, state)
    .filter(({ compensate, ofParent }) => compensate !== null && ofParent !== true)
    .toReversed();
  const unclear = unclearEffects(env, state);
  if (left.length + unclear.length === 0) return null;
  const freed = isHeld(state.session.status) ? unsuspend(state) : state;
  const rollback: Rollback = { left, at: null, settled: unclear, spent: { ...NO_COST, calls: 0 } };
  return nextUndo({
    ...freed,
    current: null,
    people: { ...freed.people, gates: [], undecided: 0, question: null, wanted: null, escalation: null },
    ending: { ...freed.ending, closeBy: null, rollback },
  });
}

/** Whether there is still something to take back; afterwards the run ends as it was going to. */
export const isUnderWay = ({ ending }: RunState): boolean =>
  ending.rollback !== undefined && ending.rollback.at !== null;

/** Asks what takes back the newest effect that is left; with none left, the run ends as it was going to. */
export function nextUndo(state: RunState): Reaction {
  const rollback = rollbackOf(state);
  const [at, ...left] = rollback.left;
  if (at === undefined) return [withRollback(state, { ...rollback, at: null }), NOTHING];
  return [withRollback(state, { ...rollback, at, left }), [proposal(at)]];
}

function proposal(made: MadeEffect): EffectOf<'propose_compensation'> {
  const { callId: call_id, stepId: step_id, argsHash: args_hash, key: idempotency_key, attempt } = made;
  const { tool, args } = made.passedOn ?? made;
  const call = { call_id, step_id, tool, args, args_hash, idempotency_key, attempt };
  return { kind: 'propose_compensation', call, result: made.result, tool: made.compensate ?? '' };
}

/** Puts on record what became of the effect at hand. */
export function settleUndo(state: RunState, outcome: EffectEnd, reason: string): Reaction {
  const { callId: call_id, stepId: step_id, tool, compensate } = undoing(state);
  const compensated_by = state.current?.call?.callId ?? null;
  const about = { call_id, step_id, tool, compensation: compensate, compensated_by };
  return [state, [{ kind: 'settle_compensation', settled: { ...about, outcome, reason } }]];
}

/** Nothing more is taken back: what is left stands. */
export const giveUpRest = (state: RunState): RunState => withRollback(state, { ...rollbackOf(state), left: [] });

export function rollbackOf(state: RunState): Rollback {
  const { rollback } = state.ending;
  if (rollback === undefined) throw impossible('nothing is being taken back', state);
  return rollback;
}

/** The effect that is being taken back. */
export function undoing(state: RunState): MadeEffect {
  const { at } = rollbackOf(state);
  if (at === null) throw impossible('nothing is being taken back', state);
  return at;
}

export const withRollback = (state: RunState, rollback: Rollback): RunState => ({
  ...state,
  ending: { ...state.ending, rollback },
});
