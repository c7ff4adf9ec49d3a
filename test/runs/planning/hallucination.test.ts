/** Tests that a plan with unknown tools is returned with the available names, within the replan limit. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const INVENTED = planOf([
  { id: 'a', tool: 'teleport' },
  { id: 'b', tool: 'warp' },
]);

verifies('validate:capability:must-exist', 'tells the planner the unknown names and the available ones', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [INVENTED, planOf([{ id: 'a', tool: 'finish' }])],
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const reason = bench.planner.requests[1]?.reason;
  expect(reason?.code).toBe('hallucinated_capability');
  for (const name of ['teleport', 'warp', 'read', 'finish']) expect(reason?.message).toContain(name);
});

verifies('validate:capability:must-exist', 'stops at the replan limit without a call', async () => {
  const bench = rig({
    tools: { finish: { produces: ['done'] } },
    plans: [INVENTED, INVENTED, INVENTED],
    options: { limits: { onEscalate: 'end' } },
  });
  expect(await bench.invoke()).toMatchObject({ status: 'failed', reason: 'replan_budget_exhausted' });
  expect(bench.planner.requests).toHaveLength(3);
  expect(bench.dispatches).toEqual([]);
});
