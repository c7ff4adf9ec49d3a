import { APPROVAL_MODES, type ApprovalMode, compareModes } from '../../model/approval-mode.ts';
import type { Boundary } from '../../model/boundary.ts';
import { Fault } from '../../model/fault.ts';
import { own } from '../../model/own.ts';
import { printable } from '../../model/printable.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfile, type RiskProfileName } from '../../model/risk-profile.ts';
import type { ToolSpec } from '../../model/tool.ts';

/** The bound of an agent that only names a risk profile: its tools, as far as the profile lets them. */
export function profileBoundary(agent: string, name: string, tools: readonly ToolSpec[]): Boundary {
  const profile = own<RiskProfile>(RISK_PROFILES, name);
  if (profile === undefined) {
    const message = `boundary: there is no risk profile "${printable(name)}"; there are ${RISK_PROFILE_NAMES.join(', ')}`;
    throw new Fault('input_invalid', message, { path: '/boundary' });
  }
  assertActions(name, profile, tools);
  return {
    boundary_id: `${agent}_${name}`,
    version: '1',
    profile: name as RiskProfileName,
    observations: { permission_scopes: [], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
    state_writes: { task_state: 'proposed', persistent_memory: 'approval' },
    tools: {
      allowed: tools.map((tool) => tool.name),
      needs_approval: tools.filter((tool) => needsApproval(profile, tool)).map((tool) => tool.name),
      mode_max: strictest(tools),
      risk_max: 'high',
      untrusted_arguments: 'shown',
      request_grants: 'stated',
    },
    decision_rights: ['plan', 'clarification_request', 'escalation_recommendation'],
    resource_budgets: {},
    escalation_paths: ['user', 'operator', 'review_queue', 'budget_queue', 'security', 'sre', 'compliance'],
  };
}

/** What a profile lists nowhere is not allowed in it, and what it fails closed on nobody may approve. */
function assertActions(name: string, { free, needs_approval }: RiskProfile, tools: readonly ToolSpec[]): void {
  const permitted = [...free, ...needs_approval];
  for (const { name: tool, hazards } of tools) {
    const action = hazards?.action;
    if (action === undefined || permitted.includes(action)) continue;
    const known = permitted.join(', ');
    const message = `boundary: ${tool} does ${printable(action)}, which ${name} does not permit; it permits ${known}`;
    throw new Fault('input_invalid', message, { path: '/boundary' });
  }
}

/** What no gate of its own holds back waits at the boundary's, unless it only reads or the profile leaves it free. */
function needsApproval({ free, needs_approval }: RiskProfile, { hazards, gates, side_effect }: ToolSpec): boolean {
  if (gates.length > 0) return false;
  const action = hazards?.action;
  if (action === undefined) return side_effect;
  return needs_approval.includes(action) && !free.includes(action);
}

function strictest(tools: readonly ToolSpec[]): ApprovalMode {
  const [least] = APPROVAL_MODES;
  return tools.reduce<ApprovalMode>(
    (most, { approval_mode }) => (compareModes(approval_mode, most) > 0 ? approval_mode : most),
    least,
  );
}
