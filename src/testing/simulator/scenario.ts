import { detectorIds } from '../../critic/detector-ids.ts';
import { rubricWith } from '../../critic/judges/judge-specs.ts';
import { standardEvaluators } from '../../critic/standard-evaluators.ts';
import type { Critic } from '../../kernel/derive.ts';
import type { KernelEnv } from '../../kernel/env.ts';
import type { CompiledGraph } from '../../kernel/graph/compile.ts';
import type { StandardGraphName } from '../../kernel/graph/standard-graphs.ts';
import { versionOf } from '../../kernel/pinned-versions.ts';
import type { RunState } from '../../kernel/state.ts';
import { type CompileSchema, toolTable } from '../../kernel/verify/tool-table.ts';
import type { BudgetCaps } from '../../model/budget.ts';
import type { DecisionSpec } from '../../model/decision.ts';
import type { EventBody } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { KernelLimits } from '../../model/kernel-limits.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { criticOf, type RunPins } from '../../session/effects.ts';
import type { Prng } from './prng.ts';
import { randomAgent, randomGoal, randomIdentity, TENANT } from './random-agent.ts';
import { randomCaps } from './random-caps.ts';
import { randomCatalog } from './random-catalog.ts';
import { randomIntake } from './random-intake.ts';
import { randomJudges } from './random-judges.ts';
import { lanedTools, laneLimits, randomSeat, withLaneRoom } from './random-lanes.ts';
import { randomTools } from './random-tools.ts';
import { randomTemper, type Temper } from './temper.ts';
import { EXFILTRATION } from './world/answers.ts';

/** What every run of one process shares: compiled graphs and schemas, and the ways to make them. */
export interface Workshop {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly graphs: readonly (readonly [StandardGraphName, CompiledGraph<RunState>])[];
}

/** One run before it starts: what it is pinned to, what it is for, and how unkind its world will be. */
export interface Scenario {
  readonly seed: number;
  readonly graph: StandardGraphName;
  readonly pins: RunPins;
  readonly critic: Critic;
  readonly temper: Temper;
  readonly startsAt: number;
  readonly arrival: EventBody;
}

const EPOCH = 1_750_000_000_000;
const MINUTE = 60_000;

export function randomScenario(workshop: Workshop, seed: number, prng: Prng): Scenario {
  const temper = randomTemper(prng);
  const [name, graph] = prng.any(prng.chance(0.15) ? workshop.graphs : workshop.graphs.slice(2)) ?? never();
  const tools = lanedTools(seed, randomTools(prng));
  const catalog = randomCatalog(prng, tools);
  const caps = withLaneRoom(seed, randomCaps(prng));
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
    temper,
    startsAt,
    arrival: seatedAt(seed, tools, caps, startsAt, {
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

/** Some runs are lanes of others. */
function seatedAt(seed: number, tools: readonly ToolSpec[], caps: BudgetCaps, now: number, arrival: Arrival): Arrival {
  return { ...arrival, ...randomSeat(seed, caps, tools, { now, deadline: arrival.expires_at }) };
}

interface Pinned {
  readonly agent: RunPins['agent'];
  readonly env: KernelEnv;
  readonly tools: readonly ToolSpec[];
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
}

/** In a fifth of the worlds a model writes what plans leave open; by the seed, so that all else is drawn as it was. */
const draftingCost = (seed: number): KernelLimits['drafterCost'] =>
  seed % 5 === 0 ? { input_tokens: 200, output_tokens: 50, microusd: 500 } : null;

/** Half of the worlds remember; by the seed, so that all else is drawn as it was. */
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

/** Mostly permissive; sometimes it has a rule that some plans break, and now and then it is broken itself. */
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
