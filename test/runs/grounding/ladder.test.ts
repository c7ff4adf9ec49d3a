/** A call climbs the grounding ladder one rung at a time, in order. */
import { expect } from 'vitest';
import type { EventBody, EventType } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { firstEvent } from './recorded-events.ts';

const ID = 'grounding:ladder:five-forward-only-labels';
const RUNGS: readonly EventType[] = [
  'step_cleared',
  'step_attempted',
  'step_observed',
  'step_verified',
  'step_committed',
];
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(ID, 'records five rungs, each after the one before', async () => {
  const bench = rig({
    ...OPTIONS,
    tools: {
      finish: {
        produces: ['done'],
        execute: () => {
          bench.clock.advanceTo(bench.clock.nowMs() + 700);
          return { ok: true };
        },
      },
    },
  });
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const places = RUNGS.map((type) => events.findIndex((event) => event.type === type));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(new Set(places).size).toBe(5);
  const times = places.map((place) => events[place]?.at ?? 0);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBe(700);
});

verifies(ID, 'a rung cannot be skipped', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const env = kernelOf(OPTIONS);
  const late: readonly EventBody[] = [
    firstEvent(events, 'step_observed'),
    firstEvent(events, 'step_verified'),
    firstEvent(events, 'step_committed'),
  ];
  const skips: readonly [EventType, readonly EventBody[]][] = [
    ['step_cleared', late],
    ['step_attempted', late],
    ['step_observed', late.slice(1)],
    ['step_verified', late.slice(2)],
  ];
  for (const [next, tooEarly] of skips) {
    const state = before(env, events, next);
    for (const event of tooEarly) {
      const [same, effects, fault] = offer(env, state, event);
      expect([next, event.type, fault?.code]).toEqual([next, event.type, 'illegal_grounding_transition']);
      expect([same === state, effects]).toEqual([true, []]);
    }
  }
});
