/** The kernel asks, the front door answers: every event of a request until a model would be called or the run ends. */
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { rubricFor } from '../../src/critic/rubrics.ts';
import type { Answer } from '../../src/intake/answer.ts';
import { checkPolicy } from '../../src/intake/check-policy.ts';
import { classifyIntent } from '../../src/intake/classify-intent.ts';
import { runsUnder } from '../../src/intake/init-run.ts';
import { receiveGoal } from '../../src/intake/receive-goal.ts';
import { resolveScope } from '../../src/intake/resolve-scope.ts';
import { DEFAULT_LIMITS, type KernelEnv } from '../../src/kernel/env.ts';
import { compile } from '../../src/kernel/graph/compile.ts';
import { PLAN_FIRST } from '../../src/kernel/graph/plan-first.ts';
import { GUARDS } from '../../src/kernel/guards.ts';
import { initialState } from '../../src/kernel/initial-state.ts';
import type { RunState } from '../../src/kernel/state.ts';
import { step } from '../../src/kernel/step.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { AgentSpec } from '../../src/model/agent.ts';
import type { PartialCaps } from '../../src/model/budget.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { EventBody } from '../../src/model/event.ts';
import { deepFreeze } from '../../src/model/freeze.ts';
import type { Policy } from '../../src/ports/policy.ts';
import { agent, context, countedIds, NOW, tools } from './cases.ts';

export interface Visit {
  readonly agent: AgentSpec;
  readonly policy: Policy;
  readonly quota: PartialCaps;
  readonly now: number;
  /** What a test changes of an answer before the kernel hears it. */
  readonly retouch: (body: EventBody) => EventBody;
}

export interface Visited {
  readonly state: RunState;
  /** After each event. */
  readonly states: readonly RunState[];
  readonly events: readonly EventBody[];
  /** In the order in which they were asked for, answered or not. */
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

const VISIT: Visit = {
  agent,
  policy: { check: () => ({ cleared: true, rule: null }) },
  quota: {},
  now: NOW,
  retouch: (body) => body,
};

export function walkIn(request: unknown, parts: Partial<Visit> = {}): Visited {
  const visit = { ...VISIT, ...parts };
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

/** Null for what is not the front door's to answer. */
function answer(visit: Visit, received: Answer<'goal_received'>, state: RunState, effect: Effect): EventBody | null {
  const { identity, tenant_id: tenantId, goal, run_id: id } = received;
  const { token } = state.intake;
  if (effect.kind === 'classify_intent') return classifyIntent({ goal, agent: visit.agent });
  if (effect.kind === 'resolve_scope') {
    return resolveScope({ identity, tenantId, agent: visit.agent, tools, now: visit.now });
  }
  if (token === null) return null;
  if (effect.kind === 'check_policy') return checkPolicy({ goal, token, policy: visit.policy });
  if (effect.kind !== 'init_run') return null;
  const { graph, rubric, detectors } = kernelEnv;
  const initRun = runsUnder({
    agent: visit.agent,
    graph: { hash: graph.hash, tier: graph.spec.tier },
    versions: { registry: tools.version, catalog: 'catalog@1', policy: 'policy@7' },
    rubric,
    detectors,
    tenantQuota: visit.quota,
  });
  return initRun({ id, token, now: visit.now, context });
}
