import type { BudgetCaps } from '../../model/budget/budget.ts';
import { APPROVAL_MODES, type ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { AcceptanceCriterion, Goal } from '../../model/plan/goal.ts';
import { PROPOSAL_KINDS } from '../../model/plan/proposal.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { Identity } from '../../model/run/identity.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { Prng } from './prng.ts';

export const TENANT = 'tenant_sim';
export const INTENT = 'errand.run';
const ACTOR = 'user_sim';
const NEVER = 9_000_000_000_000_000;

export function randomAgent(prng: Prng, tools: readonly ToolSpec[], caps: BudgetCaps, tier: number): AgentSpec {
  return {
    name: 'simulated',
    version: '1',
    intents: [
      {
        intent: INTENT,
        description: 'runs an errand',
        task_class: 'errand',
        risk: prng.pick(RISK_CLASSES),
        modality: 'text',
        capability: 'tools',
        criteria: [{ id: 'done', statement: 'The errand is done.', rank: 'primary' }],
      },
    ],
    boundary: {
      boundary_id: 'boundary_sim',
      version: '1',
      profile: null,
      observations: { permission_scopes: [], confirm_scopes: [], authority_min: 0, personal_data: 'allowed' },
      state_writes: { task_state: 'proposed', persistent_memory: 'proposed' },
      tools: {
        allowed: mostOf(prng, tools),
        needs_approval: [],
        mode_max: randomAuthority(prng),
        risk_max: 'critical',
        untrusted_arguments: 'shown',
      },
      decision_rights: PROPOSAL_KINDS,
      resource_budgets: {},
      escalation_paths: ['specialist_model', 'operator', 'security', 'workflow_owner'],
    },
    budget: { profile: 'simulated', overrides: caps },
    autonomy: { environment: 'sandbox', tier, needs: [], reasons: [] },
    access: { tool_scopes: {}, role_authority: { runner: randomAuthority(prng) } },
    pins: {
      pack_pin: 'pack@1',
      snapshot_pin: 'snapshot_1',
      model_versions: { planner: 'sim', executor: 'none', verifier: 'none', router: 'none' },
      prompt_template_versions: {},
    },
  };
}

function mostOf(prng: Prng, tools: readonly ToolSpec[]): readonly string[] {
  return tools.filter(() => !prng.chance(0.01)).map(({ name }) => name);
}

function randomAuthority(prng: Prng): ApprovalMode {
  return prng.chance(0.97) ? 'destructive' : prng.pick(APPROVAL_MODES);
}

export function randomIdentity(prng: Prng, tools: readonly ToolSpec[], now: number): Identity {
  return {
    actor: ACTOR,
    tenant_id: prng.chance(0.005) ? 'tenant_other' : TENANT,
    roles: ['runner'],
    scopes: mostOf(prng, tools),
    expires_at: prng.chance(0.02) ? now + prng.int(0, 600_000) : NEVER,
  };
}

/** Mostly reachable; sometimes it needs evidence that no tool supplies, or evidence that cannot exist. */
export function randomGoal(prng: Prng, tools: readonly ToolSpec[]): Goal {
  const supplied = tools.filter(({ active }) => active).flatMap(({ produces }) => produces);
  const wanted = prng.some(supplied, 0.4);
  const primary = wanted.length > 0 ? wanted : supplied.slice(0, 1);
  const criteria: AcceptanceCriterion[] = primary.map((evidence) => criterion(evidence, 'primary', evidence));
  const another = prng.any(supplied);
  if (prng.chance(0.2) && another !== undefined) criteria.push(criterion('extra', 'secondary', another));
  if (prng.chance(0.01)) criteria.push(criterion('unreachable', 'primary', 'moonlight'));
  if (criteria.length === 0 || prng.chance(0.01)) criteria.push(criterion('judged', 'primary'));
  return {
    goal_id: 'goal_1',
    statement: prng.chance(0.005) ? ' ' : 'Run the errand.',
    intent: prng.chance(0.02) ? 'unheard.of' : INTENT,
    acceptance_criteria: criteria,
  };
}

function criterion(id: string, rank: AcceptanceCriterion['rank'], evidence?: string): AcceptanceCriterion {
  const statement = `There is ${id}.`;
  return evidence === undefined ? { id, statement, rank } : { id, statement, rank, evidence };
}
