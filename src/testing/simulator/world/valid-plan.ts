import { type KernelEnv, type RunState, vecGet } from '../../../kernel/index.ts';
import { type ApprovalMode, compareModes, runsInline } from '../../../model/gate/approval-mode.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { DecisionCheckpoint, Plan, PlanStep } from '../../../model/plan/plan.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { Prng } from '../prng.ts';
import { INTENT } from '../random-agent.ts';
import { type FieldType, GATES, toolShape } from '../random-tools.ts';
import { randomValue } from './answers.ts';

/** Input of a well-behaved planner. */
export interface PlannerView {
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
export function validPlan(prng: Prng, view: PlannerView, number: number): Plan {
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
