import { expect, test } from 'vitest';
import type { EffectOutcome } from '../../../model/tool/effect-outcome.ts';
import type { RunState } from '../../state/run-state.ts';
import { type Vec, vecEmpty, vecPush } from '../../state/vec.ts';
import { effectsLeft } from './made-effects.ts';

const COUNT = 20_000;
const made = Array.from({ length: COUNT }, (_, n) => ({
  callId: `call_${n}`,
  stepId: 's',
  tool: 't',
  compensate: null,
}));
const settledOf = (call_id: string): EffectOutcome =>
  ({ call_id, step_id: 's', tool: 't', outcome: 'rolled_back', reason: 'taken_back' }) as EffectOutcome;

test('lists effects in the order they were made, then uncommitted ones, and reads each once', () => {
  let reads = 0;
  const settled = [...made].toReversed().map(({ callId }) =>
    Object.defineProperty(settledOf(callId), 'call_id', {
      get: () => {
        reads += 1;
        return callId;
      },
    }),
  );
  const state = {
    work: { effects: made.reduce((all: Vec<(typeof made)[number]>, one) => vecPush(all, one), vecEmpty) },
    ending: { rollback: { settled: [...settled, settledOf('late')] } },
  };
  const left = effectsLeft(state as unknown as RunState);
  expect(reads).toBe(COUNT);
  expect(left).toHaveLength(COUNT + 1);
  expect([left[0]?.call_id, left[1]?.call_id, left.at(-1)?.call_id]).toEqual(['call_0', 'call_1', 'late']);
});
