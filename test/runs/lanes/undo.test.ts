/** Tests that a lane takes its effects back by a tool that its supervisor did not pass on. */
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { CAPS, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from './bench.ts';

const acts = (changes: RigTool = {}): RigTool => ({
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: { kind: 'key', retention_ms: 600_000 },
  ...changes,
});

test('a lane of a cancelled run calls the compensation, which belongs to its tool', async () => {
  const clerk = benchAgent({
    name: 'clerk',
    tools: {
      book: acts({ probes: { compensate: 'unbook' }, probing: { compensate: { args: () => ({ id: 'b_1' }) } } }),
      unbook: acts(),
      ship: acts({ approval_mode: 'network', gates: ['GATE_SHIP'], produces: ['done'] }),
    },
    plans: [
      planOf([
        { id: 'a', tool: 'book' },
        { id: 'b', tool: 'ship', depends_on: ['a'], requires: ['GATE_SHIP'] },
      ]),
    ],
  });
  // As `tool()` declares it: a tool brings the one that compensates it.
  const companions = clerk.tools.filter(({ spec }) => spec.name === 'unbook');
  const tools = clerk.tools.map((each) => (each.spec.name === 'book' ? { ...each, companions } : each));
  const worker = { ...clerk, tools };
  const delegate = benchLane('delegate', worker, {
    tools: ['book', 'ship'],
    approvalMode: 'local_write',
    budget: { ...LANE_BUDGET, sideEffectsMax: 2 },
  });
  const boss = benchAgent({
    name: 'boss',
    tools: { finish: {} },
    plans: [planOf([{ id: 's1', tool: 'delegate' }])],
    caps: { ...CAPS, lanes_max: 2 },
    lanes: [delegate],
  });
  const rig = laneRig([boss, worker]);
  const before = dispatched.length;
  const waiting = await rig.invoke();
  expect(waiting.pending).toMatchObject([{ name: 'GATE_SHIP' }]);
  const [child = ''] = await rig.lanes(waiting.runId);
  const cancel: EventBody = { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' };
  const run = await rig.settle(rig.runtime.sessions.send(waiting.runId, cancel));
  expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(dispatched.slice(before).map(({ tool }) => tool)).toEqual(['book', 'unbook']);
  expect(await rig.of(child, 'step_compensated')).toMatchObject([
    { settled: { tool: 'book', outcome: 'rolled_back' } },
  ]);
  const token = (await rig.runtime.records.replay(child)).state.intake.token;
  expect(token?.allowed_tools).not.toContain('unbook');
});
