import { expect, test } from 'vitest';
import { planOf, rig, silent } from './rig.ts';

test('a two-step run succeeds on the bench', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'finish']);
  bench.planner.assertDrained();
});

test('a silent tool is timed out, retried, and the run is handed over', async () => {
  const bench = rig({
    tools: { read: { execute: silent, retries_max: 1 } },
    plans: [1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'read', params: { n } }], { plan_id: `plan_${n}` })),
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', authority: expect.any(String) });
  expect(bench.dispatches).toHaveLength(6);
});
