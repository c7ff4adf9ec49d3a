import { expect, test } from 'vitest';
import type { Fact, RunState, StepProgress } from '../../state/run-state.ts';
import { type Vec, vecEmpty, vecPush } from '../../state/vec.ts';
import { committedUnder } from './committed-under.ts';

const ORDER = [2, 0, 3, 1];
const PLAN = { steps: ORDER.map((_, index) => ({ id: `s${index}`, tool: `tool_${index}` })) };

const committed = (evidenceId: string): object => ({ status: 'committed', attempts: 1, fact: { evidenceId } });
const PENDING = { status: 'pending', attempts: 0, fact: null };

/** Builds a state from the progress of each plan step and the number of steps done. */
function state(progress: readonly object[], cursor: number): RunState {
  let vec: Vec<StepProgress> = vecEmpty;
  for (const one of progress) vec = vecPush(vec, one as StepProgress);
  const work = { carried: { origins: null, steps: null }, progress: vec, cursor };
  return { planning: { active: { plan: PLAN, index: { order: ORDER } } }, work } as unknown as RunState;
}

const DONE = ['ev_2', 'ev_4', 'ev_1', 'ev_3'].map(committed);

test.each([
  ['ev_1', 'tool_2'],
  ['ev_2', 'tool_0'],
  ['ev_3', 'tool_3'],
  ['ev_4', 'tool_1'],
])('finds %s with %s, on the first and on later lookups, at any cursor', (evidenceId, tool) => {
  for (const cursor of [4, 0, 2, 4]) {
    expect(committedUnder(state(DONE, cursor), evidenceId)).toEqual({ tool, fact: { evidenceId } });
  }
});

test('does not find evidence whose step no longer holds it', () => {
  expect(committedUnder(state(DONE, 4), 'ev_1')).not.toBeNull();
  expect(committedUnder(state(DONE.with(2, PENDING), 0), 'ev_1')).toBeNull();
  expect(committedUnder(state(DONE.with(2, { ...DONE[2], status: 'failed' }), 1), 'ev_1')).toBeNull();
  expect(committedUnder(state(DONE.with(2, committed('ev_5')), 4), 'ev_1')).toBeNull();
});

test('finds evidence at its new step after the step was repeated', () => {
  const fact = { evidenceId: 'ev_1' } as Fact;
  expect(committedUnder(state(DONE, 4), 'ev_1')).toEqual({ tool: 'tool_2', fact });
  expect(committedUnder(state([PENDING, committed('ev_1'), PENDING, PENDING], 0), 'ev_1')).toEqual({
    tool: 'tool_1',
    fact,
  });
});
