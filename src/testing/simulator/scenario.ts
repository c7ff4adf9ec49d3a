import { standardEvaluators } from '../../critic/evaluators/standard-evaluators.ts';
import { rubricWith } from '../../critic/judges/judge-specs.ts';
import { detectorIds } from '../../critic/step/detectors.ts';
import {
  type CompiledGraph,
  type CompileSchema,
  type Critic,
  type KernelEnv,
  type RunState,
  type StandardGraphName,
  toolTable,
} from '../../kernel/index.ts';
import type { BudgetCaps } from '../../model/budget/budget.ts';
import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import type { DecisionSpec } from '../../model/critic/decision.ts';
import type { JudgeSpec } from '../../model/critic/judge.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { type Hash, versionOf } from '../../model/json/hash.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { criticOf, type RunPins } from '../../session/perform/effects.ts';
import { prng as dice, type Prng } from './prng.ts';
import {
  lanedTools,
  laneLimits,
  randomAgent,
  randomGoal,
  randomIdentity,
  randomIntake,
  randomLaneContext,
  TENANT,
  withLaneCap,
} from './random-agent.ts';
import { randomTools } from './random-tools.ts';
import { EXFILTRATION } from './world/answers.ts';

/** A cap of zero, a tight one or a generous one. */
function cap(prng: Prng, tight: number, roomy: number): number {
  const kind = prng.next();
  if (kind < 0.015) return 0;
  return kind < 0.08 ? prng.int(1, tight) : prng.int(Math.ceil(roomy / 2), roomy);
}

function randomCaps(prng: Prng): BudgetCaps {
  const replans = prng.chance(0.3) ? prng.int(3, 10) : prng.int(0, 2);
  return {
    input_tokens_max: cap(prng, 2_000, 400_000),
    output_tokens_max: cap(prng, 600, 60_000),
    tool_calls_max: cap(prng, 5, 80),
    external_api_calls_max: cap(prng, 3, 60),
    wall_clock_seconds_max: cap(prng, 60, 7_200),
    inference_cost_usd_max: cap(prng, 1, 20),
    retry_count_max: prng.int(prng.chance(0.1) ? 0 : 2, 5),
    reflection_passes_max: prng.int(0, 2),
    context_tokens_max: prng.chance(0.05) ? prng.int(1, 5_000) : 200_000,
    memory_writes_max: prng.int(0, 5),
    side_effects_max: cap(prng, 3, 30),
    steps_max: cap(prng, 5, 60),
    replan_attempts_max: replans,
    lanes_max: 0,
    ...(replans > 2 ? { replan_rationale: 'the simulated planner lies' } : {}),
    ...(prng.chance(0.3) ? { tool_spend_usd_max: cap(prng, 1, 5) } : {}),
    ...(prng.chance(0.2) ? { roles: randomRoles(prng) } : {}),
  };
}

function randomRoles(prng: Prng): NonNullable<BudgetCaps['roles']> {
  return {
    planner: { input_tokens_max: cap(prng, 1_000, 100_000), inference_cost_usd_max: cap(prng, 1, 5) },
    executor: { tool_calls_max: cap(prng, 4, 40), input_tokens_max: cap(prng, 500, 50_000) },
  };
}

/** Up to two decisions, each governing some tools and needing evidence that other tools may supply. */
function randomCatalog(prng: Prng, tools: readonly ToolSpec[]): ReadonlyMap<string, DecisionSpec> {
  const catalog = new Map<string, DecisionSpec>();
  const count = prng.pick([0, 0, 1, 2]);
  for (let place = 1; place <= count; place += 1) {
    const [governed, ...others] = prng.chance(0.5) ? tools : tools.toReversed();
    if (governed === undefined) break;
    const supplied = others.flatMap(({ produces }) => produces);
    catalog.set(`decision.${place}`, {
      decision_id: `decision.${place}`,
      version: '1',
      description: 'A simulated decision',
      evidence: [...new Set(prng.some(supplied, 0.3))],
      approvals: [],
      controls: [],
      evaluators: [],
      accept_threshold: 0.8,
      risk_class: 'moderate',
      actions: [governed.name],
    });
  }
  return catalog;
}

/** Separates this generator from others with the same seed. */
const SALT = 0x6a75_6467;

/** Random judges for a quarter of the runs, from a separate generator that leaves other random choices unchanged. */
function randomJudges(seed: number, tools: readonly ToolSpec[]): readonly { readonly spec: JudgeSpec }[] {
  const prng = dice(seed ^ SALT);
  if (!prng.chance(0.25)) return [];
  const cost = { input_tokens: prng.int(0, 20), output_tokens: prng.int(0, 5), microusd: prng.int(0, 100) };
  const names = ['tone', 'facts', 'style'].slice(0, prng.int(1, 3));
  return names.map((name) => ({
    spec: {
      name,
      version: '1',
      criteria: { [name]: `The ${name} is right.` },
      applies: {
        tools: prng.chance(0.5) ? 'all' : prng.some(tools, 0.5).map((tool) => tool.name),
        run: prng.chance(0.7),
        risk_min: prng.pick(RISK_CLASSES),
      },
      cost,
      safer_cost: prng.chance(0.5) ? cost : null,
    },
  }));
}

/** The probabilities of faults in the world of one run. */
interface FaultRates {
  /** A tool fails, stalls, answers twice or with garbage. */
  readonly toolFault: number;
  /** A planner proposes an illegal plan, fails, or takes too long. */
  readonly plannerLie: number;
  /** A person does not answer, or answers late, twice, or about something else. */
  readonly peopleFault: number;
  /** The process dies at a crash point. */
  readonly death: number;
  /** Operators, models or junk events interfere. */
  readonly meddling: number;
  /** The store is down, or does not report whether it stored a frame. */
  readonly outage: number;
  /** The clock jumps forward or back. */
  readonly clock: number;
}

const NO_FAULTS: FaultRates = Object.freeze({
  toolFault: 0,
  plannerLie: 0,
  peopleFault: 0,
  death: 0,
  meddling: 0,
  outage: 0,
  clock: 0,
});

/** A fifth of the worlds have no faults, so that long healthy runs occur too. */
function randomFaultRates(prng: Prng): FaultRates {
  if (prng.chance(0.2)) return NO_FAULTS;
  return {
    toolFault: prng.pick([0, 0.03, 0.1, 0.4]),
    plannerLie: prng.pick([0, 0.05, 0.2, 0.6]),
    peopleFault: prng.pick([0, 0.1, 0.4]),
    death: prng.pick([0, 0.01, 0.04, 0.15]),
    meddling: prng.pick([0, 0.05, 0.2]),
    outage: prng.pick([0, 0.01, 0.05, 0.2]),
    clock: prng.pick([0, 0.01, 0.05]),
  };
}

/** Compiled graphs and schemas that all runs of one process share. */
export interface SharedParts {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly graphs: readonly (readonly [StandardGraphName, CompiledGraph<RunState>])[];
}

/** The start of one run: its pins, its goal and the faults of its world. */
export interface Scenario {
  readonly seed: number;
  readonly graph: StandardGraphName;
  readonly pins: RunPins;
  readonly critic: Critic;
  readonly faultRates: FaultRates;
  readonly startsAt: number;
  readonly arrival: EventBody;
}

const EPOCH = 1_750_000_000_000;
const MINUTE = 60_000;

export function randomScenario(workshop: SharedParts, seed: number, prng: Prng): Scenario {
  const temper = randomFaultRates(prng);
  const [name, graph] = prng.any(prng.chance(0.15) ? workshop.graphs : workshop.graphs.slice(2)) ?? never();
  const tools = lanedTools(seed, randomTools(prng));
  const catalog = randomCatalog(prng, tools);
  const caps = withLaneCap(seed, randomCaps(prng));
  const intake = randomIntake(seed);
  const agent = intake.agent(randomAgent(prng, tools, caps, graph.spec.tier));
  const risk = agent.intents[0]?.risk ?? 'critical';
  const yardstick = rubricWith(risk, randomJudges(seed, tools));
  const { rubric } = yardstick;
  const env: KernelEnv = {
    graph,
    tools: toolTable(tools, new Set(tools.map((tool) => tool.name)), workshop.compileSchema),
    catalog,
    policy: randomPolicy(prng),
    ...yardstick,
    specialist: seed % 3 === 0,
    detectors: detectorIds([EXFILTRATION]),
    gates: new Map(),
    limits: {
      ...randomLimits(prng),
      ...laneLimits(seed),
      onBreach: seed % 4 === 1 ? 'hold' : 'end',
      drafterCost: draftingCost(seed),
      composerCost: composingCost(seed),
      answerJudgeCost: judgingCost(seed),
      ...intake.limits(),
    },
    hash: workshop.hash,
  };
  const startsAt = EPOCH + prng.int(0, MINUTE);
  return {
    seed,
    graph: name,
    pins: { ...pinsOf({ agent, env, tools, catalog }), ...remembered(seed, tools) },
    critic: criticOf(rubric, standardEvaluators([EXFILTRATION], rubric)),
    faultRates: temper,
    startsAt,
    arrival: asLane(seed, tools, caps, startsAt, {
      type: 'goal_received',
      run_id: `run_${seed}`,
      trace_id: `trace_${seed}`,
      tenant_id: TENANT,
      goal: intake.goal(randomGoal(prng, tools)),
      inputs: {},
      identity: intake.identity(randomIdentity(prng, tools, startsAt)),
      expires_at: startsAt + (prng.chance(0.1) ? prng.int(1, 30) : prng.int(120, 1_440)) * MINUTE,
      heartbeat_ms: prng.chance(0.7) ? null : prng.int(60, 900) * 1000,
    }),
  };
}

type Arrival = Extract<EventBody, { type: 'goal_received' }>;

/** Makes some runs lanes of others. */
function asLane(seed: number, tools: readonly ToolSpec[], caps: BudgetCaps, now: number, arrival: Arrival): Arrival {
  return { ...arrival, ...randomLaneContext(seed, caps, tools, { now, deadline: arrival.expires_at }) };
}

interface Pinned {
  readonly agent: RunPins['agent'];
  readonly env: KernelEnv;
  readonly tools: readonly ToolSpec[];
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
}

/** Every third scenario has a composer. It is derived from the seed, so that other draws stay the same. */
const composingCost = (seed: number): KernelLimits['composerCost'] =>
  seed % 3 === 0 ? { input_tokens: 200, output_tokens: 100, microusd: 2_000 } : null;

/** Every sixth scenario, which is every second one with a composer, has a judge of answers. */
const judgingCost = (seed: number): KernelLimits['answerJudgeCost'] =>
  seed % 6 === 0 ? { input_tokens: 100, output_tokens: 50, microusd: 1_000 } : null;

/** In a fifth of the worlds a model drafts open arguments. Chosen by the seed, so that other choices do not change. */
const draftingCost = (seed: number): KernelLimits['drafterCost'] =>
  seed % 5 === 0 ? { input_tokens: 200, output_tokens: 50, microusd: 500 } : null;

/** Half of the worlds have memory. Chosen by the seed, so that other choices do not change. */
function remembered(seed: number, tools: readonly ToolSpec[]): Pick<RunPins, 'memory'> {
  if (seed % 2 === 0) return {};
  const terms = { ttl_ms: 24 * 60 * MINUTE, permission_scope: 'all', personal_data: false, authority: 0 };
  const keep = tools.flatMap(({ produces }) => produces).map((type) => [type, terms] as const);
  return { memory: { validator: 'memory_gate@1', keep: Object.fromEntries(keep) } };
}

function pinsOf({ agent, env, tools }: Pinned): RunPins {
  return {
    agent,
    env,
    registry: { version: versionOf(tools, env.hash), tools },
    catalogVersion: versionOf([...env.catalog.values()], env.hash),
    policyVersion: env.policy.version,
    tenantQuota: {},
    context: {
      context_id: 'context_1',
      pack_pin: agent.pins.pack_pin,
      snapshot_pin: agent.pins.snapshot_pin,
      items: [],
      compiled_at: EPOCH,
      memory_snapshot: null,
    },
    plannerTimeouts: { usualMs: 10_000, byTaskClass: {} },
  };
}

/** Mostly permissive; sometimes with a rule that some plans break, rarely one that throws. */
function randomPolicy(prng: Prng): KernelEnv['policy'] {
  const kind = prng.next();
  if (kind < 0.9) return { version: 'permissive@1', invariants: () => [] };
  if (kind < 0.98) {
    const broken = [{ invariant: 'short_plans', message: 'a plan has at most three steps' }];
    return { version: 'short_plans@1', invariants: (plan) => (plan.steps.length > 3 ? broken : []) };
  }
  return {
    version: 'broken@1',
    invariants: () => {
      throw new TypeError('the policy engine is down');
    },
  };
}

function randomLimits(prng: Prng): KernelLimits {
  const costs = prng.chance(0.5);
  return {
    plannerCost: {
      input_tokens: costs ? prng.int(0, 500) : 0,
      output_tokens: costs ? prng.int(0, 200) : 0,
      microusd: costs ? prng.int(0, 20_000) : 0,
    },
    classifierCost: null,
    reviewerCost: null,
    drafterCost: null,
    composerCost: null,
    answerJudgeCost: null,
    intentConfidence: 0.7,
    gateTtlMs: prng.int(1, 120) * MINUTE,
    questionTtlMs: 1_440 * MINUTE,
    dispatchWindowMs: prng.int(1, 50) * 100,
    retryBaseMs: prng.int(10, 1_000),
    retryCooldownMs: 30_000,
    retriesPerRunMax: prng.chance(0.1) ? prng.int(0, 3) : 100,
    duplicateWindowMs: prng.pick([1, 60_000]),
    onEscalate: prng.pick(['pause', 'pause', 'end']),
    onBreach: 'end',
    denialsMax: 3,
    callsPerMinuteMax: prng.chance(0.05) ? prng.int(1, 10) : 3_000,
    compressAbove: 0.8,
    contextLimit: prng.chance(0.1) ? prng.int(1_000, 10_000) : 200_000,
    planning: prng.chance(0.25) ? 'stepwise' : 'whole',
    reactStepsMax: prng.chance(0.2) ? prng.int(1, 4) : 100,
    parallelSteps: 1,
    laneFanoutMax: 8,
  };
}

function never(): never {
  throw new Fault('internal', 'a simulation needs at least one graph');
}
