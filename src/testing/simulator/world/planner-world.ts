import type { KernelEnv, RunState } from '../../../kernel/index.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { PlanAuthor } from '../../../model/events/plan-events.ts';
import { compareModes } from '../../../model/gate/approval-mode.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { Plan, PlanStep } from '../../../model/plan/plan.ts';
import { NO_COST, type ToolSpec } from '../../../model/tool/tool.ts';
import type { Prng } from '../prng.ts';
import { leaveOpen, overspending, randomSpending } from './answers.ts';
import { validPlan } from './valid-plan.ts';

export interface PlannerWorld {
  propose(state: RunState, at: number): { readonly at: number; readonly body: EventBody };
}

interface PlannerSettings {
  readonly env: KernelEnv;
  readonly tools: readonly ToolSpec[];
  readonly lie: number;
  readonly timeoutMs: number;
}

/** A planner that proposes invalid plans with the given probability, and sometimes repeats one proposal for ever. */
export function plannerWorld(prng: Prng, settings: PlannerSettings): PlannerWorld {
  const { env, tools, lie, timeoutMs } = settings;
  const stubborn = prng.chance(lie / 2);
  const hostWrites = env.graph.edge('plan', 'plan_validation') !== null && env.graph.spec.tier <= 3;
  let asked = 0;
  let idea: Json | null = null;

  const propose = (state: RunState): Json => {
    if (stubborn && idea !== null) return idea;
    const complete = validPlan(prng, { env, state, usable: usableTools(tools, state) }, asked);
    const plan = env.limits.drafterCost === null ? complete : leaveOpen(prng, complete);
    idea = (prng.chance(lie) ? spoiltPlan(prng, plan) : plan) as Json;
    return idea;
  };

  return {
    propose: (state, now) => {
      asked += 1;
      if (prng.chance(lie / 4)) return failure(prng, now, timeoutMs);
      const author: PlanAuthor = hostWrites === prng.chance(1 - lie / 10) ? 'host' : 'model';
      const spent = prng.chance(lie / 10)
        ? overspending(prng, env.limits.plannerCost)
        : randomSpending(prng, env.limits.plannerCost);
      const context_tokens = prng.int(0, Math.min(env.limits.contextLimit, 5_000));
      const body = { type: 'plan_proposed' as const, proposal: propose(state), author, spent, context_tokens };
      return { at: now + prng.int(1, timeoutMs), body };
    },
  };
}

function failure(prng: Prng, now: number, timeoutMs: number): { at: number; body: EventBody } {
  const code = prng.pick(['planner_failed', 'planner_timeout'] as const);
  return {
    at: now + (code === 'planner_timeout' ? timeoutMs : prng.int(1, timeoutMs)),
    body: { type: 'plan_failed', code, message: 'the simulated planner failed', spent: NO_COST },
  };
}

function usableTools(tools: readonly ToolSpec[], state: RunState): readonly ToolSpec[] {
  const token = state.intake.token;
  if (token === null) return [];
  const allowed = new Set(token.allowed_tools);
  return tools.filter(
    ({ name, active, approval_mode }) =>
      active && allowed.has(name) && compareModes(approval_mode, token.approval_authority) <= 0,
  );
}

type Spoiler = (prng: Prng, plan: Plan) => unknown;

/** All kinds of invalid proposals. */
const SPOILERS: readonly [Spoiler, ...Spoiler[]] = [
  () => 'I would first look up the order and then refund it.',
  () => null,
  () => [],
  () => ({ steps: 'three of them' }),
  () => JSON.parse('{"__proto__":{"admin":true},"plan_id":"p","intent":"i","steps":[],"decision_checkpoints":[]}'),
  (_, plan) => ({ ...plan, steps: [] }),
  (_, plan) => ({ ...plan, extra: true }),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, tool: prng.pick(['root.shell', 'constructor', 'a b']) })),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, depends_on: [step.id] })),
  (_, plan) => ({ ...plan, steps: inACircle(plan.steps) }),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, id: plan.steps[0]?.id ?? 's1' }), 1),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, approval_mode: 'read_only' })),
  (prng, plan) => eachStep(plan, prng, ({ requires: _, ...step }) => step),
  (prng, plan) => eachStep(plan, prng, (step) => withParam(step, { $from: plan.steps.at(-1)?.id ?? 's9', path: '' })),
  (prng, plan) => eachStep(plan, prng, (step) => withParam(step, { $from: 'nobody', path: '/x' })),
  (prng, plan) => eachStep(plan, prng, (step) => withParam(step, { $from: step.id })),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, depends_on: ['nobody'] })),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, params: { unheard_of: prng.int(0, 9) } })),
  (prng, plan) => eachStep(plan, prng, ({ params: _, ...step }) => step),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, because: ['ev_999'] })),
  (_, plan) => ({ ...plan, decision_checkpoints: [{ decision_id: 'decision.none', after_step: 'nobody' }] }),
  (_, plan) => ({ ...plan, decision_checkpoints: [] }),
  (_, plan) => ({ ...plan, steps: manyOf(plan.steps, 60) }),
  // The same steps with changed metadata: completed work must stay completed.
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, optional: step.optional !== true })),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, task_objective: 'once more' })),
];

function spoiltPlan(prng: Prng, plan: Plan): unknown {
  return prng.pick(SPOILERS)(prng, plan);
}

function eachStep(plan: Plan, prng: Prng, change: (step: PlanStep) => unknown, from: number = 0): unknown {
  const victim = prng.int(from, Math.max(from, plan.steps.length - 1));
  return { ...plan, steps: plan.steps.map((step, index) => (index === victim ? change(step) : step)) };
}

function inACircle(steps: readonly PlanStep[]): readonly PlanStep[] {
  const last = steps.at(-1)?.id;
  return steps.map((step, index) => (index === 0 && last !== undefined ? { ...step, depends_on: [last] } : step));
}

function withParam(step: PlanStep, value: JsonObject): PlanStep {
  const [name = 'x'] = Object.keys(step.params ?? {});
  return { ...step, params: { ...step.params, [name]: value as Json } };
}

/** More steps than most budgets allow. */
function manyOf(steps: readonly PlanStep[], count: number): readonly PlanStep[] {
  const [first] = steps;
  if (first === undefined) return steps;
  return Array.from({ length: count }, (_, index) => ({ ...first, id: `many_${index}` }));
}

/** A future event. */
export interface Planned {
  readonly at: number;
  readonly body: EventBody;
}
