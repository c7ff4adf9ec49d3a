/** Two calls with side effects, each behind its own gate. */
import type { Plan } from '../../../src/model/plan/plan.ts';
import { operator, planOf, type Rig, type RigOptions } from '../rig.ts';

export const MINUTE = 60_000;
const GATES = ['GATE_PRESS'];
export const PLAN: Plan = planOf([
  { id: 's1', tool: 'post', params: { n: 1 }, requires: GATES },
  { id: 's2', tool: 'post', params: { n: 2 }, requires: GATES, depends_on: ['s1'] },
]);
export const POSTING: RigOptions = {
  tools: { post: { approval_mode: 'network', side_effect: true, gates: GATES, produces: ['done'] } },
  plans: [PLAN],
};

export async function approve(bench: Rig, runId: string): Promise<Awaited<ReturnType<Rig['invoke']>>> {
  const { pending } = await bench.runtime.sessions.get(runId);
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const yes = { packetHash, credential: operator('lead_1'), reason: 'seen' };
  return await bench.settle(bench.runtime.approve(gateId, yes));
}
