import { expect, test } from 'vitest';
import { neverAnswers, planOf, rig } from './rig.ts';

test('a two-step run succeeds', async () => {
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

test('a silent tool times out, is retried, and the run escalates', async () => {
  const bench = rig({
    tools: { read: { execute: neverAnswers, retries_max: 1 } },
    plans: [1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'read', params: { n } }], { plan_id: `plan_${n}` })),
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', authority: expect.any(String) });
  expect(bench.dispatches).toHaveLength(6);
});
