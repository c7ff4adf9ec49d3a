import type { EffectOf } from '../../model/events/effect.ts';
import { isHeld } from '../../model/run/session-status.ts';
import type { EffectEnd } from '../../model/tool/effect-outcome.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import type { KernelEnv } from '../env.ts';
import { madeEffects, unclearEffects } from '../query/rollback/made-effects.ts';
import type { MadeEffect, Rollback } from '../state/call-state.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction } from './reaction.ts';
import { unsuspend } from './suspend.ts';

/** Starts the rollback of an abandoned run. Null if there is nothing to compensate. */
export function beginRollback(env: KernelEnv, state: RunState): Reaction | null {
  if (state.now >= state.session.expiresAt || state.manifest === null) return null;
  const left = madeEffects(env, state)
    .filter(({ compensate, ofParent }) => compensate !== null && ofParent !== true)
    .toReversed();
  const unclear = unclearEffects(env, state);
  if (left.length + unclear.length === 0) return null;
  const resumed = isHeld(state.session.status) ? unsuspend(state) : state;
  const rollback: Rollback = { left, at: null, settled: unclear, spent: { ...NO_COST, calls: 0 } };
  return nextUndo({
    ...resumed,
    current: null,
    people: { ...resumed.people, gates: [], undecided: 0, question: null, wanted: null, escalation: null },
    ending: { ...resumed.ending, closeBy: null, rollback },
  });
}

export const isCompensating = ({ ending }: RunState): boolean =>
  ending.rollback !== undefined && ending.rollback.at !== null;

/** Proposes the compensation of the newest effect that is left. With none left, the run ends. */
export function nextUndo(state: RunState): Reaction {
  const rollback = rollbackOf(state);
  const [at, ...left] = rollback.left;
  if (at === undefined) return [withRollback(state, { ...rollback, at: null }), NO_EFFECTS];
  return [withRollback(state, { ...rollback, at, left }), [proposeCompensation(at)]];
}

function proposeCompensation(made: MadeEffect): EffectOf<'propose_compensation'> {
  const { callId: call_id, stepId: step_id, argsHash: args_hash, key: idempotency_key, attempt } = made;
  const { tool, args } = made.innerCall ?? made;
  const call = { call_id, step_id, tool, args, args_hash, idempotency_key, attempt };
  return { kind: 'propose_compensation', call, result: made.result, tool: made.compensate ?? '' };
}

export function settleUndo(state: RunState, outcome: EffectEnd, reason: string): Reaction {
  const { callId: call_id, stepId: step_id, tool, compensate } = effectToUndo(state);
  const compensated_by = state.current?.call?.callId ?? null;
  const about = { call_id, step_id, tool, compensation: compensate, compensated_by };
  return [state, [{ kind: 'settle_compensation', settled: { ...about, outcome, reason } }]];
}

/** Stops the rollback: the remaining effects stand. */
export const dropRemainingEffects = (state: RunState): RunState =>
  withRollback(state, { ...rollbackOf(state), left: [] });

export function rollbackOf(state: RunState): Rollback {
  const { rollback } = state.ending;
  if (rollback === undefined) throw impossibleEvent('nothing is being taken back', state);
  return rollback;
}

export function effectToUndo(state: RunState): MadeEffect {
  const { at } = rollbackOf(state);
  if (at === null) throw impossibleEvent('nothing is being taken back', state);
  return at;
}

export const withRollback = (state: RunState, rollback: Rollback): RunState => ({
  ...state,
  ending: { ...state.ending, rollback },
});
