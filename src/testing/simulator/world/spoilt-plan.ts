import type { Json, JsonObject } from '../../../model/json.ts';
import type { Plan, PlanStep } from '../../../model/plan.ts';
import type { Prng } from '../prng.ts';

type Spoiler = (prng: Prng, plan: Plan) => unknown;

/** Every way in which a planner has been seen, or may be imagined, to lie. */
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
  // The same steps with something else said about them: what is done must stay done.
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, optional: step.optional !== true })),
  (prng, plan) => eachStep(plan, prng, (step) => ({ ...step, task_objective: 'once more' })),
];

export function spoiltPlan(prng: Prng, plan: Plan): unknown {
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

/** More work than most budgets hold. */
function manyOf(steps: readonly PlanStep[], count: number): readonly PlanStep[] {
  const [first] = steps;
  if (first === undefined) return steps;
  return Array.from({ length: count }, (_, index) => ({ ...first, id: `many_${index}` }));
}
