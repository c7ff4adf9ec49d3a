/** Tests that a step that produces other evidence than planned returns control to the planner. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

verifies('execute:evidence:unexpected-returns-control', 'does not run the next step and plans again', async () => {
  const bench = rig({
    tools: {
      fetch_invoice: { produces: ['invoice'] },
      fetch_order: { produces: ['order'] },
      read: {},
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 's1', tool: 'fetch_invoice', expected_output: 'order' },
        { id: 's2', tool: 'read', depends_on: ['s1'] },
      ]),
      planOf([{ id: 's3', tool: 'finish' }], { plan_id: 'plan_2' }),
    ],
  });
  const { terminalCode } = await bench.invoke();
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'unexpected_evidence', step_id: 's1' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['fetch_invoice', 'finish']);
  expect(terminalCode).toBe('SUCCESS');
});
