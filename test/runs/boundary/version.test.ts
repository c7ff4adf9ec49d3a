/** A run is held to the boundary it was started under, whatever has been published since. */
import { expect } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';
import { waitingAtGate } from './waiting.ts';

const bounded =
  (version: string, allowed: readonly string[]): ((agent: AgentSpec) => AgentSpec) =>
  (agent) => ({ ...agent, boundary: { ...agent.boundary, version, tools: { ...agent.boundary.tools, allowed } } });

const TOOLS: RigOptions['tools'] = {
  ask: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], execute: () => ({ ok: true }) },
  finish: { produces: ['done'] },
  wide: { produces: ['done'] },
};
const wide = (n: number): unknown => planOf([{ id: 'w', tool: 'wide', params: { n } }], { plan_id: `plan_wide_${n}` });

verifies(
  'boundary:version:decisions-pinned-to-authorizing-version',
  'a wider boundary published meanwhile gives a run nothing',
  async () => {
    const plans = [planOf([{ id: 'a', tool: 'ask', requires: ['GATE_A'] }])];
    const { bench, gate } = await waitingAtGate({ tools: TOOLS, plans, agent: bounded('1', ['ask', 'finish']) });
    const later = rig({
      tools: TOOLS,
      plans: [wide(1), wide(2), wide(3)],
      agent: bounded('2', ['ask', 'finish', 'wide']),
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
    const { state } = await later.runtime.replay('run_1');
    expect(state.manifest?.autonomy_boundary_version).toBe('1');
    expect(outcome.record?.boundary_version).toBe('1');

    const fresh = await rig({
      tools: TOOLS,
      plans: [wide(1)],
      agent: bounded('2', ['ask', 'finish', 'wide']),
    }).invoke();
    expect(fresh).toMatchObject({ terminalCode: 'SUCCESS', record: { boundary_version: '2' } });
  },
);
