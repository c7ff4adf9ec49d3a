/** A failed verification is recorded before the run reacts to it. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { kernelOf, pathOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { eventsOfType } from './recorded-events.ts';

const ID = 'grounding:verification-failed:record-then-branch';
const EXPECTED = { type: 'object', properties: { status: { const: 201 }, id: { const: 'order_7' } }, required: ['id'] };
const OPTIONS: RigOptions = {
  tools: {
    finish: {
      produces: ['done'],
      retries_max: 0,
      output_schema: EXPECTED,
      execute: () => ({ status: 201, id: 'order_8' }),
    },
  },
  plans: [1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'finish', params: { n } }], { plan_id: `plan_${n}` })),
  options: { limits: { onEscalate: 'end' } },
};

verifies(ID, 'records the failure before the repair, and ends the run when no repairs are left', async () => {
  const bench = rig(OPTIONS);
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
  const events = await bench.events(outcome.runId);
  const failures = eventsOfType(events, 'step_verified');
  expect(failures).toHaveLength(3);
  for (const failure of failures) expect(failure).toMatchObject({ ok: false, problems: [{ path: '/id' }] });
  const plans = events.flatMap((event, place) => (event.type === 'plan_proposed' ? [place] : []));
  const failed = events.flatMap((event, place) => (event.type === 'step_verified' ? [place] : []));
  expect(failed[0]).toBeLessThan(plans[1] ?? -1);
  expect(failed[1]).toBeLessThan(plans[2] ?? -1);
  const path = pathOf(kernelOf(OPTIONS), events);
  expect(path[path.indexOf('observation_verification') + 1]).toBe('repair');
  expect(path).not.toContain('state_update');
});
