/** Only verified observations become state, with the validator that verified them. */
import { expect } from 'vitest';
import type { EventType } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { eventsOfType, firstEvent } from './recorded-events.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

verifies(
  'grounding:commit:verified-only',
  'rejects commits from four other states and accepts one new version',
  async () => {
    const bench = rig(OPTIONS);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    const env = kernelOf(OPTIONS);
    const commit = firstEvent(events, 'step_committed');
    const below: readonly (readonly [string, EventType])[] = [
      ['intended', 'step_cleared'],
      ['attempted', 'step_observed'],
      ['observed', 'step_verified'],
    ];
    for (const [rung, next] of below) {
      const state = before(env, events, next);
      expect(state.current?.rung).toBe(rung);
      const [same, , fault] = offer(env, state, commit);
      expect([rung, fault?.code, same.work.version]).toEqual([rung, 'illegal_grounding_transition', 0]);
    }
    const verified = before(env, events, 'step_committed');
    const [unmoved, , assumed] = offer(env, verified, { ...commit, call_id: 'call_that_never_was' });
    expect([assumed?.code, unmoved === verified]).toEqual(['event_illegal', true]);
    const [committed, , fault] = offer(env, verified, commit);
    expect([fault, committed.work.version]).toEqual([undefined, 1]);
  },
);

verifies(
  'grounding:committed:provenance-fields',
  'records version, time, source, validator and a pointer that resolves',
  async () => {
    const bench = rig(OPTIONS);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    const entries = eventsOfType(events, 'step_committed');
    expect(entries).toHaveLength(2);
    for (const [place, entry] of entries.entries()) {
      const { version, at, source, validator, call_id } = entry;
      expect([version, at > 0, source, validator]).toEqual([
        place + 1,
        true,
        ['read', 'finish'][place],
        'output_schema@1',
      ]);
      expect(eventsOfType(events, 'step_observed').filter((observed) => observed.call_id === call_id)).toHaveLength(1);
      expect(eventsOfType(events, 'step_attempted').find((attempted) => attempted.call_id === call_id)?.tool).toBe(
        source,
      );
    }
    const env = kernelOf(OPTIONS);
    const state = before(env, events, 'step_committed');
    for (const forged of [{ validator: '' }, { source: 'finish' }, { version: 7 }]) {
      const [same, , fault] = offer(env, state, { ...firstEvent(events, 'step_committed'), ...forged });
      expect([forged, fault?.code, same === state]).toEqual([forged, 'event_illegal', true]);
    }
  },
);
