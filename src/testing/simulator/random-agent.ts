import type { BudgetCaps } from '../../model/budget/budget.ts';
import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import { APPROVAL_MODES, type ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { AcceptanceCriterion, Goal } from '../../model/plan/goal.ts';
import { PROPOSAL_KINDS } from '../../model/plan/proposal.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { Identity } from '../../model/run/identity.ts';
import type { LaneContext } from '../../model/run/lane.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { prng as dice, type Prng } from './prng.ts';

export const TENANT = 'tenant_sim';
export const INTENT = 'errand.run';
const ACTOR = 'user_sim';
const NEVER = 9_000_000_000_000_000;

/** A tier needs a reason why each lower one would not do. */
const reasonsFor = (tier: number): AgentSpec['autonomy']['reasons'] =>
  Array.from({ length: tier - 1 }, (_, at) => ({ rank: at + 1, why: 'the simulation covers every tier' }));

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
    autonomy: { environment: 'sandbox', tier, needs: [], reasons: reasonsFor(tier) },
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

/** Separates this generator from others with the same seed. */
const SALT = 0x696e_7461;

/** A data scope that a person has to confirm. */
const LEDGER = 'ledger';

/**
 * Random variations of a request and of its memory settings; most requests have none. It has its own generator, so that
 * the other random choices of a seed do not change.
 */
interface RandomIntake {
  agent(agent: AgentSpec): AgentSpec;
  goal(goal: Goal): Goal;
  identity(identity: Identity): Identity;
  limits(): Pick<KernelLimits, 'classifierCost'>;
}

export function randomIntake(seed: number): RandomIntake {
  const prng = dice(seed ^ SALT);
  const unclear = prng.chance(0.1);
  const sensitive = prng.chance(0.1);
  const granted = prng.chance(0.9);
  const asked = prng.chance(0.2);
  const read = prng.chance(0.8);
  const most = { input_tokens: prng.int(0, 50), output_tokens: prng.int(0, 20), microusd: prng.int(0, 500) };
  return {
    agent: (plain) => {
      const readable = unclear ? twoReadings(plain) : plain;
      const closed = sensitive ? withLedger(readable) : readable;
      return asked ? remembersWhenAllowed(closed) : closed;
    },
    // No agent declares this intent, so that it has to be classified.
    goal: (plain) => ({
      ...plain,
      ...(unclear ? { intent: 'some.errand' } : {}),
      ...(sensitive ? { data_scopes: [LEDGER] } : {}),
    }),
    identity: (plain) => (sensitive && granted ? { ...plain, scopes: [...plain.scopes, LEDGER] } : plain),
    limits: () => ({ classifierCost: unclear && read ? most : null }),
  };
}

/** Adds the same intent under a second name, so that either reading gives the run work to do. */
function twoReadings(agent: AgentSpec): AgentSpec {
  const [usual] = agent.intents;
  if (usual === undefined) return agent;
  const other = { ...usual, intent: 'errand.fetch', description: 'runs an errand and fetches something' };
  return { ...agent, intents: [usual, other] };
}

function withLedger(agent: AgentSpec): AgentSpec {
  const { boundary } = agent;
  const observations = { ...boundary.observations, permission_scopes: [LEDGER], confirm_scopes: [LEDGER] };
  return { ...agent, boundary: { ...boundary, observations } };
}

function remembersWhenAllowed(agent: AgentSpec): AgentSpec {
  const { boundary } = agent;
  const state_writes = { ...boundary.state_writes, persistent_memory: 'approval' as const };
  return { ...agent, boundary: { ...boundary, state_writes } };
}

/**
 * Worlds with parallel steps, with lanes as tools, and in which the run itself is a lane. Chosen by the seed alone, so
 * that the other random choices do not change.
 */
const worksAtOnce = (seed: number): boolean => seed % 6 === 2 || seed % 6 === 5;
const hasLanes = (seed: number): boolean => seed % 6 === 2;
const isLane = (seed: number): boolean => seed % 7 === 3;

export const laneLimits = (seed: number): Pick<KernelLimits, 'parallelSteps' | 'laneFanoutMax'> => ({
  parallelSteps: worksAtOnce(seed) ? 3 : 1,
  laneFanoutMax: seed % 12 === 2 ? 2 : 8,
});

export const withLaneCap = (seed: number, caps: BudgetCaps): BudgetCaps =>
  worksAtOnce(seed) ? { ...caps, lanes_max: 8 } : caps;

const LANE_CAPS: BudgetCaps = {
  input_tokens_max: 500,
  output_tokens_max: 100,
  tool_calls_max: 3,
  external_api_calls_max: 1,
  wall_clock_seconds_max: 60,
  inference_cost_usd_max: 0.05,
  retry_count_max: 1,
  reflection_passes_max: 0,
  context_tokens_max: 10_000,
  memory_writes_max: 0,
  side_effects_max: 1,
  steps_max: 3,
  replan_attempts_max: 0,
  lanes_max: 0,
};

/** Turns every other tool into a lane of another agent; its side effects and gates stay the same. */
export function lanedTools(seed: number, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  if (!hasLanes(seed)) return tools;
  return tools.map((tool, place) => {
    if (place % 2 === 1) return tool;
    const { asserts: _, probes: __, ...rest } = tool;
    const side_effects_max = tool.side_effect ? 1 : 0;
    const lane = { agent: 'helper', tools: [tool.name], caps: { ...LANE_CAPS, side_effects_max }, returns: ['result'] };
    return { ...rest, idempotency: { kind: 'natural' as const }, retries_max: 0, lane };
  });
}

/** The lane context of a run that is itself a lane: the full budget and tools, and one parent call in doubt. */
export function randomLaneContext(
  seed: number,
  caps: BudgetCaps,
  tools: readonly ToolSpec[],
  until: { readonly deadline: number; readonly now: number },
): { readonly lane?: LaneContext } {
  if (!isLane(seed)) return {};
  const doubted = tools.find(({ side_effect }) => side_effect);
  const doubt = {
    call: `${doubted?.name ?? 'none'} sha256:`,
    key: 'key_above',
    since: until.now,
    until: until.now + 1,
  };
  return {
    lane: {
      lane_id: `lane_${seed}`,
      run_id: `run_${seed}`,
      parent_run_id: `run_above_${seed}`,
      parent_call_id: 'call_1',
      depth: 1 + (seed % 2),
      span_id: `span_${seed}`,
      parent_span_id: `span_above_${seed}`,
      tool: 'delegate',
      agent: 'simulated',
      path: ['supervisor'],
      tools: tools.map(({ name }) => name),
      authority: 'destructive',
      caps,
      deadline: until.deadline,
      doubts: [doubt],
      ...(seed % 3 === 0 ? { exposed: true as const } : {}),
    },
  };
}
