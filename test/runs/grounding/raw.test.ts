/** What came back is kept as it came, whatever is made of it afterwards. */
import { expect } from 'vitest';
import type { Critic } from '../../../src/kernel/derive.ts';
import type { Json } from '../../../src/model/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, turn, turnsOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { all, first } from './eyes.ts';

const ID = 'grounding:observed:raw-kept-before-parsing';
const RAW: Json = { html: '<p>Ünïcode \u2028 and "quotes"</p>', nested: [{ deep: [1.5e-7, -1, null] }], __proto: 1 };
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'], retries_max: 0, execute: () => RAW } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
  options: { limits: { onEscalate: 'end' } },
};

verifies(ID, 'a parser that throws leaves the raw answer where it was', async () => {
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
  const observed = first(events, 'step_observed');
  const { events: after, state } = turn({ ...env, critic }, before(env.env, events, 'step_observed'), observed);
  expect(all(after, 'step_observed').find(({ call_id }) => call_id === 'call_1')?.raw).toEqual(RAW);
  expect(all(after, 'step_committed')).toEqual([]);
  expect(state.ending.terminal?.code).toBe('VALIDATION_FAIL');
});

verifies(ID, 'an answer that does not fit is kept to the byte', async () => {
  const output_schema = { type: 'object', required: ['id'] };
  const bench = rig({ ...OPTIONS, tools: { finish: { ...OPTIONS.tools?.['finish'], output_schema } } });
  const { runId } = await bench.invoke();
  const frames = await bench.runtime.frames(runId);
  const frame = frames.find(({ events }) => events.includes('"step_observed"'));
  expect(frame?.events).toContain(`"raw":${JSON.stringify(RAW)}`);
  const events = await bench.events(runId);
  expect(first(events, 'step_verified').ok).toBe(false);
});
