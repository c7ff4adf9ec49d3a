/** Raw tool output is stored unchanged before it is parsed. */
import { expect } from 'vitest';
import type { Critic } from '../../../src/kernel/machine/derive.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, turn, turnsOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { eventsOfType, firstEvent } from './recorded-events.ts';

const ID = 'grounding:observed:raw-kept-before-parsing';
const RAW: Json = { html: '<p>Ünïcode \u2028 and "quotes"</p>', nested: [{ deep: [1.5e-7, -1, null] }], __proto: 1 };
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'], retries_max: 0, execute: () => RAW } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
  options: { limits: { onEscalate: 'end' } },
};

verifies(ID, 'keeps the raw answer when the parser throws', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = turnsOf(OPTIONS);
  const events = await bench.events(runId);
  const critic: Critic = {
    ...env.critic,
    verifyObservation: () => {
      throw new TypeError('cannot read properties of undefined');
    },
  };
  const observed = firstEvent(events, 'step_observed');
  const { events: after, state } = turn({ ...env, critic }, before(env.env, events, 'step_observed'), observed);
  expect(eventsOfType(after, 'step_observed').find(({ call_id }) => call_id === 'call_1')?.raw).toEqual(RAW);
  expect(eventsOfType(after, 'step_committed')).toEqual([]);
  expect(state.ending.terminal?.code).toBe('VALIDATION_FAIL');
});

verifies(ID, 'keeps an invalid answer byte for byte', async () => {
  const output_schema = { type: 'object', required: ['id'] };
  const bench = rig({ ...OPTIONS, tools: { finish: { ...OPTIONS.tools?.['finish'], output_schema } } });
  const { runId } = await bench.invoke();
  const frames = await bench.runtime.records.frames(runId);
  const frame = frames.find(({ events }) => events.includes('"step_observed"'));
  expect(frame?.events).toContain(`"raw":${JSON.stringify(RAW)}`);
  const events = await bench.events(runId);
  expect(firstEvent(events, 'step_verified').ok).toBe(false);
});
