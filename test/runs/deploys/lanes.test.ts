/** Deploys under a run whose lane waits at a gate: the lane is migrated, and its parent goes on with it. */
import { beforeEach, expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { Ids } from '../../../src/ports/clock.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from '../lanes/bench.ts';
import { CAPS, countingIds, operator, planOf, type RigTool } from '../rig.ts';

beforeEach(() => {
  dispatched.length = 0;
});

const payer = (change: RigTool = {}): Agent =>
  benchAgent({
    name: 'payer',
    tools: {
      pay: {
        approval_mode: 'destructive',
        side_effect: true,
        gates: ['GATE_A'],
        produces: ['done'],
        ...change,
      },
    },
    plans: [planOf([{ id: 'p', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }])],
  });

const boss = (worker: Agent): Agent =>
  benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    lanes: [
      benchLane('delegate', worker, { approvalMode: 'local_write', budget: { ...LANE_BUDGET, sideEffectsMax: 2 } }),
    ],
    caps: { ...CAPS, lanes_max: 5 },
    plans: [
      planOf([
        { id: 's1', tool: 'delegate' },
        { id: 's2', tool: 'finish', depends_on: ['s1'] },
      ]),
    ],
  });

const laterIds = (): Ids => {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_later`) };
};

test('a lane whose tool has changed is migrated by its own id, and its parent succeeds', async () => {
  const first = laneRig([boss(payer())]);
  const waiting = await first.invoke();
  const laneId = waiting.pending[0]?.lane?.runId ?? '';
  const { journal, clock } = first;
  const later = laneRig([boss(payer({ version: '2' }))], { journal, clock, world: { ids: laterIds() } });
  await expect(later.approve(waiting)).rejects.toMatchObject({
    code: 'version_changed',
    message: expect.stringContaining(`ambit sessions migrate ${laneId}`),
  });
  const migrate = { credential: operator('ops'), reason: 'read the new version' };
  await later.settle(later.runtime.sessions.migrate(laneId, migrate));
  const asked = await later.runtime.sessions.get(waiting.runId);
  expect(asked.pending).toMatchObject([{ name: 'GATE_A', lane: { runId: laneId } }]);
  expect(asked.pending[0]?.gateId).not.toBe(waiting.pending[0]?.gateId);
  expect(await later.approve(asked)).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
  await later.runtime.records.replay(laneId);
  expect(dispatched.map(({ tool }) => tool)).toEqual(['pay', 'finish']);
});
