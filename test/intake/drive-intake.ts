/**
 * Drives the kernel with the answers of intake: every event of a request until a model would be called or the run ends.
 */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { rubricFor } from '../../src/critic/judges/judge-specs.ts';
import { checkIntakePolicy, type IntakeAnswer } from '../../src/intake/check-policy.ts';
import { classifyIntent } from '../../src/intake/classify-intent.ts';
import { createInitRun } from '../../src/intake/init-run.ts';
import { receiveGoal } from '../../src/intake/receive-goal.ts';
import { resolveScope } from '../../src/intake/resolve-scope.ts';
import type { KernelEnv } from '../../src/kernel/env.ts';
import { compile } from '../../src/kernel/graph/compile.ts';
import { PLAN_FIRST } from '../../src/kernel/graph/standard-graphs.ts';
import { step } from '../../src/kernel/machine/step.ts';
import { GUARDS } from '../../src/kernel/query/guards.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { initialState } from '../../src/kernel/transition/initial-state.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { PartialCaps } from '../../src/model/budget/budget.ts';
import { DEFAULT_LIMITS } from '../../src/model/budget/kernel-limits.ts';
import type { Effect } from '../../src/model/events/effect.ts';
import type { EventBody } from '../../src/model/events/event.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import type { AgentSpec } from '../../src/model/run/agent.ts';
import type { Policy } from '../../src/ports/authorizer.ts';
import { autonomyChoice } from '../../src/session/perform/autonomy-choice.ts';
import { agent, context, countedIds, NOW, tools } from './cases.ts';

export interface IntakeOptions {
  readonly agent: AgentSpec;
  readonly policy: Policy;
  readonly quota: PartialCaps;
  readonly now: number;
  /** Changes an answer before the kernel receives it. */
  readonly retouch: (body: EventBody) => EventBody;
}

export interface IntakeResult {
  readonly state: RunState;
  /** The state after each event. */
  readonly states: readonly RunState[];
  readonly events: readonly EventBody[];
  /** All requested effects in order, answered or not. */
  readonly effects: readonly Effect[];
}

export const kernelEnv: KernelEnv = {
  graph: compile(PLAN_FIRST, GUARDS, sha256),
  tools: toolTable(tools.tools, new Set(tools.tools.map(({ name }) => name)), () => () => []),
  catalog: new Map(),
  policy: { version: 'policy@7', invariants: () => [] },
  rubric: rubricFor('moderate'),
  detectors: [],
  gates: new Map(),
  limits: DEFAULT_LIMITS,
  hash: sha256,
};

const DEFAULTS: IntakeOptions = {
  agent,
  policy: { check: () => ({ cleared: true, rule: null }) },
  quota: {},
  now: NOW,
  retouch: (body) => body,
};

export function driveIntake(request: unknown, parts: Partial<IntakeOptions> = {}): IntakeResult {
  const visit = { ...DEFAULTS, ...parts };
  const received = receiveGoal(request, visit.agent, { ids: countedIds(), now: visit.now, verdictGapMs: 0 });
  const events: EventBody[] = [];
  const asked: Effect[] = [];
  const states: RunState[] = [];
  let state = initialState(kernelEnv);
  let next: EventBody | null = received;
  while (next !== null) {
    const body: EventBody = deepFreeze(visit.retouch(next));
    const [after, effects, fault] = step(kernelEnv, deepFreeze(state), { ...body, at: visit.now });
    if (fault !== undefined) throw fault;
    state = after;
    states.push(state);
    events.push(body);
    asked.push(...effects);
    next = effects.map((effect) => answer(visit, received, state, effect)).find((each) => each !== null) ?? null;
  }
  return { state, states, events, effects: asked };
}

/** Returns null for an effect that intake does not answer. */
function answer(
  visit: IntakeOptions,
  received: IntakeAnswer<'goal_received'>,
  state: RunState,
  effect: Effect,
): EventBody | null {
  const { identity, tenant_id: tenantId, goal, run_id: id } = received;
  const { token } = state.intake;
  if (effect.kind === 'classify_intent') return classifyIntent({ goal, agent: visit.agent });
  if (effect.kind === 'resolve_scope') {
    return resolveScope({ identity, tenantId, agent: visit.agent, tools, now: visit.now });
  }
  if (token === null) return null;
  if (effect.kind === 'check_policy') return checkIntakePolicy({ goal, token, policy: visit.policy });
  if (effect.kind !== 'init_run') return null;
  const { graph, rubric, detectors } = kernelEnv;
  const initRun = createInitRun({
    agent: visit.agent,
    hash: sha256,
    graph: { hash: graph.hash, tier: graph.spec.tier },
    versions: { registry: tools.version, catalog: 'catalog@1', policy: 'policy@7' },
    rubric,
    detectors,
    tenantQuota: visit.quota,
    autonomy: () => autonomyChoice(visit.agent, tools.tools),
  });
  return initRun({ id, token, now: visit.now, context });
}
