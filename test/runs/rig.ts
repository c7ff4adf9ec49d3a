/** A test rig for runs: a scripted planner, scripted tools, and a simulated clock. */
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { AmbitOptions } from '../../src/agent/options.ts';
import type { World } from '../../src/agent/world.ts';
import { ambit, openJournal } from '../../src/compose.ts';
import type { DecisionSpec } from '../../src/model/critic/decision.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan/plan.ts';
import { type AgentSpec, parseAgent } from '../../src/model/run/agent.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import { NO_COST, type ToolCost, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { OperatorCredential } from '../../src/ports/approvers.ts';
import type { BoundTool, ToolProbing } from '../../src/ports/bound-tool.ts';
import type { Ids } from '../../src/ports/clock.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { type PlannerTurn, type ScriptedPlanner, scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { type SimulatedClock, simulatedClock } from '../../src/testing/simulated-clock.ts';
import { spec } from '../kernel/verify/fixtures.ts';

export const START_MS = 1_777_890_000_000;

/** One dispatch as the tool received it. */
export interface Dispatch {
  readonly tool: string;
  readonly args: JsonObject;
  readonly key: string;
  readonly at: number;
}

export type Behaviour = BoundTool['execute'];

export type RigTool = Partial<ToolSpec> &
  Pick<BoundTool, 'uses'> & { readonly execute?: Behaviour; readonly probing?: ToolProbing };

export interface RigOptions {
  /** Tools by name, with changes to the default tool, which reads and answers `{ ok: true }`. */
  readonly tools?: Readonly<Record<string, RigTool>>;
  /** The answers of the planner, in order. */
  readonly plans?: readonly PlannerTurn[];
  /** The model cost of each plan. */
  readonly spent?: ToolCost;
  /** The size of the context after each plan. */
  readonly contextTokens?: number;
  readonly agent?: (agent: AgentSpec) => AgentSpec;
  readonly caps?: AgentSpec['budget']['overrides'];
  readonly options?: Partial<Omit<AmbitOptions, 'agent' | 'tools' | 'planner'>>;
  readonly world?: Partial<World>;
  /** A store file, if the runs should be kept; by default they are in memory. */
  readonly storeFile?: `sqlite:${string}`;
}

export interface Rig {
  readonly runtime: Ambit;
  readonly clock: SimulatedClock;
  readonly planner: ScriptedPlanner;
  readonly journal: Journal;
  readonly dispatches: readonly Dispatch[];
  /** Starts a run and advances the clock until it is idle. */
  invoke(changes?: JsonObject): Promise<Awaited<ReturnType<Ambit['invoke']>>>;
  /** Advances the clock as needed until the promise settles. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** All events of a run, in order. */
  events(runId: string): Promise<readonly RunEvent[]>;
}

const ANY: JsonObject = { type: 'object' };

export const CAPS: AgentSpec['budget']['overrides'] = {
  steps_max: 50,
  tool_calls_max: 50,
  external_api_calls_max: 50,
  input_tokens_max: 100_000,
  output_tokens_max: 100_000,
  wall_clock_seconds_max: 600,
  inference_cost_usd_max: 10,
  retry_count_max: 3,
  reflection_passes_max: 1,
  context_tokens_max: 100_000,
  memory_writes_max: 2,
  side_effects_max: 10,
};

/** A tool spec, based on the read-only spec of the kernel tests. */
export function toolSpec(name: string, changes: Partial<ToolSpec> = {}): ToolSpec {
  const usual = { version: '1', description: name, category: 'live_api', output_schema: ANY } as const;
  return spec(name, { ...usual, timeout_ms: 10_000, retries_max: 2, ...changes });
}

export function planOf(steps: readonly PlanStep[], changes: Partial<Plan> = {}): Plan {
  return { plan_id: 'plan_1', intent: 'work', steps, decision_checkpoints: [], ...changes };
}

/** An agent whose goal needs evidence of type `done`: give the last tool `produces: ['done']`. */
export function agentFor(tools: readonly string[], caps: AgentSpec['budget']['overrides'] = CAPS): AgentSpec {
  return parseAgent({
    name: 'worker',
    version: '1',
    intents: [
      {
        intent: 'work',
        description: 'Do the work',
        task_class: 'task',
        risk: 'low',
        modality: 'text',
        capability: 'work',
        criteria: [{ id: 'finished', statement: 'The work is done.', rank: 'primary', evidence: 'done' }],
      },
    ],
    boundary: {
      boundary_id: 'bench',
      version: '1',
      profile: null,
      observations: { permission_scopes: ['all'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
      state_writes: { task_state: 'proposed', persistent_memory: 'approval' },
      tools: {
        allowed: tools,
        needs_approval: [],
        mode_max: 'destructive',
        risk_max: 'critical',
        untrusted_arguments: 'shown',
      },
      decision_rights: [
        'plan',
        'next_step',
        'tool_arguments',
        'observation_summary',
        'clarification_request',
        'escalation_recommendation',
      ],
      resource_budgets: {},
      escalation_paths: [
        'user',
        'operator',
        'review_queue',
        'budget_queue',
        'security',
        'sre',
        'compliance',
        'workflow_owner',
      ],
    },
    budget: { profile: 'customer_support', overrides: caps },
    autonomy: { environment: 'sandbox', tier: 6, needs: ['unattended_plan'], reasons: [] },
    access: {
      tool_scopes: Object.fromEntries(tools.map((tool) => [tool, ['all']])),
      role_authority: { worker: 'destructive' },
    },
    pins: {
      pack_pin: 'ctxpack.bench@1.0.0',
      snapshot_pin: 'kg_1',
      model_versions: { planner: 'scripted', executor: 'none', verifier: 'none', router: 'none' },
      prompt_template_versions: {},
    },
  });
}

/**
 * An agent for these tools. Without a tool that produces `done`, its criterion needs no evidence, because the goal
 * would be impossible.
 */
export function agentOf(tools: NonNullable<RigOptions['tools']>, caps: AgentSpec['budget']['overrides']): AgentSpec {
  const agent = agentFor(Object.keys(tools), caps);
  if (Object.values(tools).some(({ produces = [] }) => produces.includes('done'))) return agent;
  const [intent] = agent.intents;
  const criteria = intent?.criteria?.map(({ evidence: _, ...criterion }) => criterion);
  return parseAgent({ ...agent, intents: [{ ...intent, criteria }] });
}

export const REQUEST: RunRequest & JsonObject = {
  mode: 'standard',
  tenant_id: 'tenant_a',
  agent: 'worker',
  intent: 'work',
  goal: { statement: 'Do the work' },
  identity: {
    actor: 'agt_worker',
    tenant_id: 'tenant_a',
    roles: ['worker'],
    scopes: ['all'],
    expires_at: 4_000_000_000_000,
  },
};

export function rig({
  tools = {},
  plans = [],
  spent = NO_COST,
  contextTokens = 0,
  agent = (a) => a,
  caps = CAPS,
  options = {},
  world = {},
  storeFile,
}: RigOptions): Rig {
  const clock = simulatedClock(START_MS);
  const planner = scriptedPlanner(plans, { spent, contextTokens });
  const journal = world.journal ?? (storeFile === undefined ? memoryJournal({ hash: sha256 }) : openJournal(storeFile));
  const dispatches: Dispatch[] = [];
  const bound = Object.entries(tools).map(
    ([name, { execute, probing, uses, ...changes }]): BoundTool => ({
      ...(probing === undefined ? {} : { probing }),
      ...(uses === undefined ? {} : { uses }),
      spec: toolSpec(name, changes),
      execute: (args, context) => {
        dispatches.push({ tool: name, args, key: context.idempotencyKey, at: clock.nowMs() });
        return execute === undefined ? { ok: true } : execute(args, context);
      },
    }),
  );
  const runtime = ambit({
    agent: agent(agentOf(tools, caps)),
    tools: bound,
    planner,
    ...options,
    ...(storeFile === undefined ? {} : { store: storeFile }),
    world: { clock, timer: clock, ids: countingIds(), ...(storeFile === undefined ? { journal } : {}), ...world },
  });
  const settle = <T>(promise: Promise<T>): Promise<T> => letTimePass(clock, promise);
  return {
    runtime,
    clock,
    planner,
    journal,
    dispatches,
    settle,
    invoke: (changes = {}) => settle(runtime.invoke({ ...REQUEST, ...changes })),
    events: async (runId) =>
      (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]),
  };
}

export function countingIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next: (prefix) => {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
}

/** Advances the clock to the next timer whenever nothing else can happen. */
export async function letTimePass<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  while (!settled) {
    for (let turn = 0; turn < 5 && !settled; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    const next = clock.next();
    if (!settled && next !== null) clock.advanceTo(next);
  }
  return await done;
}

/** A decision that needs no evidence and no approval. */
export const DECISION: DecisionSpec = {
  decision_id: 'finishing',
  version: '1',
  description: 'Whether the work may be finished',
  evidence: [],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.5,
  risk_class: 'low',
  actions: [],
};

/** The credential of a local operator. */
export const operator = (name: string, roles: readonly string[] = []): OperatorCredential => ({
  kind: 'local_operator',
  name,
  roles,
});

/** A tool that never answers. */
export const neverAnswers: Behaviour = () => new Promise(() => undefined);

/** The open question of a run; throws if there is none. */
export function openQuestion({ question }: Pick<RunOutcome, 'question'>): NonNullable<RunOutcome['question']> {
  if (question === null) throw new Error('there is no open question');
  return question;
}

/** The packet hash that a decision about an escalated run must name. */
export const handoverPacket = ({
  handoverHash,
}: Pick<RunOutcome, 'handoverHash'>): { readonly packet_hash: string } => {
  if (handoverHash === null) throw new Error('there is no handover');
  return { packet_hash: handoverHash };
};
