/** Tests that in supervised mode a person sees the complete plan before its first step runs. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const PLAN: Plan = planOf([
  { id: 's1', tool: 'read', params: { n: 1 } },
  { id: 's2', tool: 'read', params: { n: 2 }, depends_on: ['s1'] },
  { id: 's3', tool: 'finish', depends_on: ['s2'] },
]);

const benchOn = (graph: 'supervised' | 'plan_first'): Rig =>
  rig({ tools: { read: {}, finish: { produces: ['done'] } }, plans: [PLAN, PLAN], options: { graph } });

async function atTheGate(bench: Rig): Promise<{ readonly gateId: string; readonly packetHash: string }> {
  const { status, pending } = await bench.invoke();
  expect(status).toBe('awaiting_gate');
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return gate;
}

verifies('planfirst:approval:interrupt', 'shows plan and task before any call', async () => {
  const bench = benchOn('supervised');
  const { packetHash } = await atTheGate(bench);
  expect(await bench.runtime.gates.packet(packetHash)).toMatchObject({ task: 'Do the work', plan: PLAN });
  expect(bench.dispatches).toEqual([]);
});

verifies('planfirst:approval:interrupt', 'runs the first step at once without supervision', async () => {
  const bench = benchOn('plan_first');
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', pending: [] });
  expect(bench.dispatches).toHaveLength(3);
});

verifies('planfirst:approval:interrupt', 'runs an approved plan as shown, without planning again', async () => {
  const bench = benchOn('supervised');
  const { gateId, packetHash } = await atTheGate(bench);
  const done = await bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' });
  expect(done.terminalCode).toBe('SUCCESS');
  expect(bench.planner.requests).toHaveLength(1);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'read', 'finish']);
  const { state } = await bench.runtime.records.replay(done.runId);
  expect(state.planning.active?.plan).toEqual(PLAN);
});

verifies('approval:plan:rejection-consistent-state', 'a rejected plan leaves no state behind', async () => {
  const bench = benchOn('supervised');
  const { gateId, packetHash } = await atTheGate(bench);
  const rejected = await bench.runtime.gates.reject(gateId, {
    packetHash,
    credential: operator('lead_1'),
    reason: 'too much',
  });
  expect(rejected).toMatchObject({
    status: 'rejected',
    terminalCode: 'PERMISSION_DENIED',
    reason: 'approval_rejected',
  });
  expect(bench.dispatches).toEqual([]);
  const { state } = await bench.runtime.records.replay(rejected.runId);
  expect(state.planning.active).toBeNull();
  expect(state.current).toBeNull();
  expect(state.people).toMatchObject({ gates: [], undecided: 0, grants: [] });
  expect(state.ending.terminal?.detail).toMatchObject({ gate: 'GATE_PLAN_APPROVAL', approver: 'lead_1' });
  // The next request starts fresh.
  expect(await bench.invoke()).toMatchObject({ runId: 'run_2', status: 'awaiting_gate' });
});
