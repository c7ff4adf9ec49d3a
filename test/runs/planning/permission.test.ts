/** Tests that permission is checked at every call, not only when the plan is verified. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, REQUEST, rig, START_MS } from '../rig.ts';

verifies(
  'plan:execution:permission-rechecked-each-call',
  'an identity that expires between two steps blocks the second and keeps the evidence of the first',
  async () => {
    const bench = rig({
      tools: {
        look: {
          produces: ['order'],
          execute: () => {
            bench.clock.advanceTo(START_MS + 6_000);
            return { total: 42 };
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 's1', tool: 'look' },
          { id: 's2', tool: 'finish', depends_on: ['s1'] },
        ]),
      ],
    });
    const identity = { ...(REQUEST['identity'] as object), expires_at: START_MS + 5_000 };
    const outcome = await bench.invoke({ identity });
    const [verified] = (await bench.events(outcome.runId)).filter((event) => event.type === 'plan_verified');
    expect(verified?.verdict).toBe('ok');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED' });
    expect(outcome.record?.evidence_refs).toEqual(['ev_1']);
    const { state } = await bench.runtime.records.replay(outcome.runId);
    expect(state.work.evidenceByType).toMatchObject({ order: 'ev_1' });
  },
);
