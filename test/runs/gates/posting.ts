/** Posts the same note to the same recipient, as often as it is asked to. */
import { GATE_MODE_APPROVAL } from '../../../src/model/gate.ts';
import type { GrantTerms } from '../../../src/model/grant.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import { planOf, type RigOptions, START_MS } from '../rig.ts';

const PLAN = planOf([{ id: 's1', tool: 'post', params: { to: 'team_a', text: 'hi' }, requires: [GATE_MODE_APPROVAL] }]);

export const POSTING: RigOptions = {
  tools: {
    post: {
      approval_mode: 'network',
      side_effect: true,
      gates: [GATE_MODE_APPROVAL],
      cost: { ...NO_COST, microusd: 400 },
      produces: ['done'],
    },
  },
  plans: Array.from({ length: 60 }, () => PLAN),
};

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
