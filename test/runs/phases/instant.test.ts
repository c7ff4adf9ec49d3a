/** Derived events carry the time of the input that caused them, and the critic sees that time. */
import { expect, test } from 'vitest';
import { type Critic, derive } from '../../../src/kernel/machine/derive.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { before, fold, turn, turnsOf } from '../graphs/kernel.ts';
import { firstEvent } from '../grounding/recorded-events.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

test('every event of a turn carries the time of its input', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const env = turnsOf(OPTIONS);
  const types = new Set<string>();
  for (const asked of ['plan_proposed', 'step_observed'] as const) {
    const input: RunEvent = firstEvent(events, asked) as RunEvent;
    const state = before(env.env, events, asked);
    const later = turn(env, state, input, input.at + 7).events;
    expect(new Set(later.map(({ at }) => at))).toEqual(new Set([input.at + 7]));
    for (const { type } of later) types.add(type);
    // A clock that goes back does not change the order of events.
    expect(new Set(turn(env, state, input, 1).events.map(({ at }) => at))).toEqual(new Set([state.now]));
  }
  expect([...types]).toEqual(
    expect.arrayContaining(['plan_verified', 'step_attempted', 'step_verified', 'step_committed', 'step_judged']),
  );
});

test('a forced termination carries the same time', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const env = turnsOf(OPTIONS);
  const fails = (): never => {
    throw new Error('no judgement');
  };
  const critic: Critic = { ...env.critic, judgeStep: fails };
  const input = firstEvent(events, 'step_observed');
  const { events: taken, state } = turn(
    { ...env, critic },
    before(env.env, events, 'step_observed'),
    input,
    input.at + 7,
  );
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL' });
  expect(taken.map(({ at }) => at)).toEqual(taken.map(() => input.at + 7));
});

test('the critic sees the time of the answer', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const { env, critic } = turnsOf(OPTIONS);
  const { call_id } = firstEvent(events, 'step_verified');
  const observed = before(env, events, 'step_verified');
  const state: RunState = { ...observed, now: observed.now + 7 };
  const asked: number[] = [];
  const watching: Critic = {
    ...critic,
    verifyObservation: (observation) => {
      asked.push(observation.call.now);
      return critic.verifyObservation(observation);
    },
  };
  expect(derive(env, watching, state, { kind: 'verify_step', call_id }).event.at).toBe(observed.now + 7);
  expect(asked).toEqual([observed.now + 7]);
  expect(fold(env, events).at(-1)?.ending.terminal).toMatchObject({ code: 'SUCCESS' });
});
