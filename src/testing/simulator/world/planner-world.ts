import { type KernelEnv, type RunState, vecGet } from '../../../kernel/index.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { PlanAuthor } from '../../../model/events/plan-events.ts';
import { type ApprovalMode, compareModes, runsInline } from '../../../model/gate/approval-mode.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { DecisionCheckpoint, Plan, PlanStep } from '../../../model/plan/plan.ts';
import { NO_COST, type ToolSpec } from '../../../model/tool/tool.ts';
import type { Prng } from '../prng.ts';
import { INTENT } from '../random-agent.ts';
import { type FieldType, GATES, toolShape } from '../random-tools.ts';
import { leaveOpen, overspending, randomSpending, randomValue } from './answers.ts';

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

/** Input of a well-behaved planner. */
interface PlannerView {
  readonly env: KernelEnv;
  readonly state: RunState;
  readonly usable: readonly ToolSpec[];
}

interface Draft {
  readonly prefix: string;
  readonly steps: PlanStep[];
  readonly checkpoints: DecisionCheckpoint[];
}

/** A plan that should pass verification: random steps with bindings, and gates and checkpoints as required. */
function validPlan(prng: Prng, view: PlannerView, number: number): Plan {
  const once = view.state.planning.active?.plan;
  // Repeats the last plan, as planners do after a failure.
  if (once !== undefined && prng.chance(0.3)) return { ...once, plan_id: `plan_${number}` };
  const draft: Draft = { prefix: prng.chance(0.5) ? 's' : `p${number}s`, steps: kept(prng, view), checkpoints: [] };
  for (const spec of wantedTools(prng, view)) addStep(prng, view, draft, spec);
  if (draft.steps.length === 0 && view.usable[0] !== undefined) addStep(prng, view, draft, view.usable[0]);
  const plan: Plan = {
    plan_id: `plan_${number}`,
    intent: INTENT,
    steps: draft.steps,
    decision_checkpoints: draft.checkpoints,
  };
  return prng.chance(0.05) ? withAssumption(prng, plan) : plan;
}

/** Completed steps, repeated unchanged: they must not be executed again. */
function kept(prng: Prng, { env, state }: PlannerView): PlanStep[] {
  const active = state.planning.active;
  if (active === null || env.limits.planning === 'stepwise' || prng.chance(0.3)) return [];
  const done = active.plan.steps.filter((_, index) => vecGet(state.work.progress, index)?.status === 'committed');
  const ids = new Set(done.map(({ id }) => id));
  return done.filter(({ depends_on = [] }) => depends_on.every((id) => ids.has(id)));
}

/** The tools that supply missing evidence, and sometimes others. */
function wantedTools(prng: Prng, { env, state, usable }: PlannerView): readonly ToolSpec[] {
  const missing = (state.intake.goal?.acceptance_criteria ?? [])
    .map(({ id, evidence }) => evidence ?? id)
    .filter((type) => !Object.hasOwn(state.work.evidenceByType, type));
  const wanted = missing.flatMap((type) => usable.find(({ produces }) => produces.includes(type)) ?? []);
  const extra = [...prng.some(usable, 0.4), ...prng.some(usable, 0.2)];
  const all = prng.chance(0.5) ? [...wanted, ...extra] : [...extra, ...wanted];
  return env.limits.planning === 'stepwise' || env.graph.spec.tier === 1 ? all.slice(0, 1) : all;
}

function addStep(prng: Prng, view: PlannerView, draft: Draft, spec: ToolSpec): void {
  const behind = decideFirst(prng, view, draft, spec);
  draft.steps.push(randomStep(prng, draft, spec, behind));
}

/** Adds the due decision checkpoints before a governed tool. Returns whether there were any. */
function decideFirst(prng: Prng, { env, state, usable }: PlannerView, draft: Draft, spec: ToolSpec): boolean {
  const due = [...env.catalog.values()].filter(
    ({ decision_id, actions }) => actions.includes(spec.name) && !state.work.decided.includes(decision_id),
  );
  for (const { decision_id, evidence } of due) {
    const free = usable.filter(({ name }) => name !== spec.name);
    for (const type of evidence) {
      const supplier = free.find(({ produces }) => produces.includes(type));
      if (supplier !== undefined) draft.steps.push(randomStep(prng, draft, supplier, true));
    }
    if (draft.steps.length === 0 && free[0] !== undefined) draft.steps.push(randomStep(prng, draft, free[0], true));
    const anchor = draft.steps.at(-1)?.id;
    if (anchor !== undefined) draft.checkpoints.push({ decision_id, after_step: anchor });
  }
  return due.length > 0;
}

function randomStep(prng: Prng, draft: Draft, spec: ToolSpec, behindAll: boolean): PlanStep {
  const earlier = draft.steps.map(({ id }) => id);
  const waits = new Set(behindAll ? earlier : prng.some(earlier, 0.3));
  const params = randomParams(prng, draft, spec, waits);
  const declared = randomMode(prng, spec);
  const mode = declared ?? spec.approval_mode;
  const requires = gatesFor(prng, spec, mode);
  return {
    id: freshId(draft),
    tool: spec.name,
    params,
    ...(waits.size > 0 ? { depends_on: [...waits] } : {}),
    ...(declared === undefined ? {} : { approval_mode: declared }),
    ...(requires.length > 0 ? { requires } : {}),
    ...(prng.chance(0.15) ? { optional: true } : {}),
    ...(prng.chance(0.05) ? { expected_output: prng.pick(['order', 'refund', 'a good answer']) } : {}),
  };
}

function freshId(draft: Draft): string {
  const taken = new Set(draft.steps.map(({ id }) => id));
  for (let number = 1; ; number += 1) if (!taken.has(`${draft.prefix}${number}`)) return `${draft.prefix}${number}`;
}

function randomMode(prng: Prng, spec: ToolSpec): ApprovalMode | undefined {
  if (prng.chance(0.8)) return undefined;
  return prng.chance(0.2) && compareModes(spec.approval_mode, 'network') < 0 ? 'network' : spec.approval_mode;
}

function gatesFor(prng: Prng, spec: ToolSpec, mode: ApprovalMode): readonly string[] {
  const gates = new Set(spec.gates);
  if ((gates.size === 0 && !runsInline(mode)) || prng.chance(0.05)) gates.add(prng.pick(GATES));
  return [...gates];
}

function randomParams(prng: Prng, draft: Draft, spec: ToolSpec, waits: Set<string>): JsonObject {
  const fields = toolShape(spec.name)?.input ?? {};
  const values = Object.entries(fields).map(([name, type]): [string, Json] => {
    const bound = prng.chance(0.4) ? binding(prng, draft, type) : null;
    if (bound === null) return [name, spec.argument_allow?.[name]?.[0] ?? randomValue(prng, type)];
    waits.add(bound.$from);
    return [name, { ...bound }];
  });
  return Object.fromEntries(values);
}

/** A binding to a field of the right type in an earlier step's output. */
function binding(prng: Prng, draft: Draft, type: FieldType): { $from: string; path: string } | null {
  const source = prng.any(draft.steps);
  if (source === undefined) return null;
  const output = toolShape(source.tool)?.output ?? {};
  const field = prng.any(Object.keys(output).filter((name) => output[name] === type));
  return field === undefined ? null : { $from: source.id, path: `/${field}` };
}

/** Adds an assumption that may or may not hold. */
function withAssumption(prng: Prng, plan: Plan): Plan {
  const step = prng.any(plan.steps);
  const [field, type] = Object.entries(toolShape(step?.tool ?? '')?.output ?? {})[0] ?? [];
  if (step === undefined || field === undefined || type === undefined) return plan;
  const equals = randomValue(prng, type);
  return { ...plan, assumptions: [{ id: 'a1', statement: 'It is so.', step: step.id, path: `/${field}`, equals }] };
}
