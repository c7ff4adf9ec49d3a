/** The journal stores schemas with sorted keys, so a plan's problems must not depend on the order of the keys. */
import { expect, test } from 'vitest';
import { planOf, rig } from '../runs/rig.ts';

test('a plan with two wrong arguments replays for any order in which its tool declares them', async () => {
  const input_schema = {
    type: 'object',
    required: ['to', 'amount'],
    properties: { to: { type: 'string' }, amount: { type: 'number' } },
  };
  const bench = rig({
    tools: { pay: { input_schema, produces: ['done'] } },
    plans: [
      planOf([{ id: 's1', tool: 'pay', params: { to: 5, amount: 'x' } }]),
      planOf([{ id: 's1', tool: 'pay', params: { to: 'ada', amount: 5 } }], { plan_id: 'plan_2' }),
    ],
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const [rejected] = (await bench.events(runId)).filter((event) => event.type === 'plan_verified');
  expect(rejected).toMatchObject({ verdict: 'replan' });
  await expect(bench.runtime.records.replay(runId)).resolves.toMatchObject({
    state: { ending: { criteriaMet: true } },
  });
});
