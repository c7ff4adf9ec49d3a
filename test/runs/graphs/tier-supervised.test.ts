/** Tests tier 5: a plan made at run time needs an approval. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, rig } from '../rig.ts';

verifies('ladder:tier-5:dynamic-plan-needs-human', 'dispatches nothing before the plan is approved', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
    options: { graph: 'supervised' },
  });
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  expect(bench.dispatches).toEqual([]);
  const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
  expect(await bench.runtime.gates.packet(packetHash)).toMatchObject({ plan: { plan_id: 'plan_1' } });
  const done = await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'a good plan' }),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'finish']);
});
