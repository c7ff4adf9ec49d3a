/** A tool that does not exist is answered with those that do, as often as the run may plan again. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const INVENTED = planOf([
  { id: 'a', tool: 'teleport' },
  { id: 'b', tool: 'warp' },
]);

verifies('validate:capability:must-exist', 'the planner hears which names are wrong and which are right', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [INVENTED, planOf([{ id: 'a', tool: 'finish' }])],
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const reason = bench.planner.requests[1]?.reason;
  expect(reason?.code).toBe('hallucinated_capability');
  for (const name of ['teleport', 'warp', 'read', 'finish']) expect(reason?.message).toContain(name);
});

verifies('validate:capability:must-exist', 'it is never retried blindly, and not for ever', async () => {
  const bench = rig({
    tools: { finish: { produces: ['done'] } },
    plans: [INVENTED, INVENTED, INVENTED],
    options: { limits: { onEscalate: 'end' } },
  });
  expect(await bench.invoke()).toMatchObject({ status: 'failed', reason: 'replan_budget_exhausted' });
  expect(bench.planner.requests).toHaveLength(3);
  expect(bench.dispatches).toEqual([]);
});
