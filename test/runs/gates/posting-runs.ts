/** Runs that post the same note to the same recipient. */
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import type { GrantTerms } from '../../../src/model/gate/grant.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { planOf, type RigOptions, type RigTool, START_MS } from '../rig.ts';

/** Options for this number of runs. `changes` apply to the tool. */
export const posting = (to: string, runs: number, changes: RigTool = {}): RigOptions => ({
  tools: {
    post: {
      approval_mode: 'network',
      side_effect: true,
      gates: [GATE_MODE_APPROVAL],
      cost: { ...NO_COST, microusd: 400 },
      produces: ['done'],
      ...changes,
    },
  },
  plans: Array.from({ length: runs }, () =>
    planOf([{ id: 's1', tool: 'post', params: { to, text: 'hi' }, requires: changes.gates ?? [GATE_MODE_APPROVAL] }]),
  ),
});

export const POSTING: RigOptions = posting('team_a', 60);

export const TO_ONE: GrantTerms = {
  grant_id: 'grant_1',
  tenant_id: 'tenant_a',
  tool: 'post',
  arguments: { to: { one_of: ['team_a'] }, text: { any: true } },
  uses_max: 50,
  microusd_max: 1_000_000,
  reason: 'status notes',
  expires_at: START_MS + 3_600_000,
};
