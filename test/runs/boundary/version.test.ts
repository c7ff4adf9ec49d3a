/** A run keeps the boundary it was started under after a new version is published. */
import { expect } from 'vitest';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';
import { waitingAtGate } from './waiting.ts';

const withBoundary =
  (version: string, allowed: readonly string[]): ((agent: AgentSpec) => AgentSpec) =>
  (agent) => ({ ...agent, boundary: { ...agent.boundary, version, tools: { ...agent.boundary.tools, allowed } } });

const TOOLS: RigOptions['tools'] = {
  ask: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], execute: () => ({ ok: true }) },
  finish: { produces: ['done'] },
  wide: { produces: ['done'] },
};
const widePlan = (n: number): unknown =>
  planOf([{ id: 'w', tool: 'wide', params: { n } }], { plan_id: `plan_wide_${n}` });

verifies(
  'boundary:version:decisions-pinned-to-authorizing-version',
  'a wider boundary published during the run does not apply to it',
  async () => {
    const plans = [planOf([{ id: 'a', tool: 'ask', requires: ['GATE_A'] }])];
    const { bench, gate } = await waitingAtGate({ tools: TOOLS, plans, agent: withBoundary('1', ['ask', 'finish']) });
    const later = rig({
      tools: TOOLS,
      plans: [widePlan(1), widePlan(2), widePlan(3)],
      agent: withBoundary('2', ['ask', 'finish', 'wide']),
      world: { journal: bench.journal },
    });
    const { gateId, packetHash } = gate;
    const outcome = await later.settle(
      later.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }),
    );
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(later.dispatches.map(({ tool }) => tool)).toEqual(['ask']);
    expect(later.planner.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['ask', 'finish'],
      ['ask', 'finish'],
    ]);
    const { state } = await later.runtime.records.replay('run_1');
    expect(state.manifest?.autonomy_boundary.version).toBe('1');
    expect(state.manifest?.autonomy_boundary_version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(outcome.record?.boundary_version).toBe(state.manifest?.autonomy_boundary_version);

    const fresh = await rig({
      tools: TOOLS,
      plans: [widePlan(1)],
      agent: withBoundary('2', ['ask', 'finish', 'wide']),
    }).invoke();
    expect(fresh.terminalCode).toBe('SUCCESS');
    expect(fresh.record?.boundary_version).not.toBe(outcome.record?.boundary_version);
  },
);
