import { runsInline } from '../model/approval-mode.ts';
import type { DryRun, PlannedCall } from '../model/dry-run.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import { realCalls } from '../model/inner-call.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import { NO_COST, type ToolCost, type ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import { blastRadius, rollbackPath } from './hazards.ts';
import { indexPlan } from './plan-index.ts';
import { specOf } from './spec-of.ts';
import { effectiveMode } from './verify/effective-mode.ts';
import { approvalsFor } from './verify/governing-decisions.ts';

/** Walks a plan without running it. What a dispatcher would call is shown where its arguments already say so. */
export function dryRun(env: Pick<KernelEnv, 'tools' | 'catalog'>, plan: Plan): DryRun {
  const calls = indexPlan(plan).order.flatMap((place, at): readonly PlannedCall[] => {
    const step = plan.steps[place];
    return step === undefined ? [] : [plannedCall(env, step, at + 1)];
  });
  return {
    calls,
    side_effects: calls.filter(({ side_effect }) => side_effect).length,
    approvals: calls.reduce((sum, { gates }) => sum + gates.length, 0),
    cost: calls.map(({ cost }) => cost).reduce(plus, NO_COST),
  };
}

function plannedCall(env: Pick<KernelEnv, 'tools' | 'catalog'>, step: PlanStep, n: number): PlannedCall {
  const outer = specOf(env, step.tool);
  const calls = realCalls({ tool: step.tool, args: step.params ?? {} }, (tool) => env.tools.get(tool));
  const real = calls?.at(-1) ?? { tool: step.tool, args: step.params ?? {} };
  const spec = env.tools.get(real.tool) ?? outer;
  const mode = effectiveMode({ approval_mode: effectiveMode(step, outer) }, spec);
  return {
    n,
    step_id: step.id,
    action: real.tool,
    parameters: real.args,
    approval_mode: mode,
    gates: gatesBefore(env, step, outer, spec, runsInline(mode)),
    side_effect: outer.side_effect || spec.side_effect,
    blast_radius: blastRadius(spec),
    rollback_path: rollbackPath(spec),
    cost: outer.cost,
  };
}

function gatesBefore(
  { catalog }: Pick<KernelEnv, 'catalog'>,
  step: PlanStep,
  outer: ToolSpec,
  inner: ToolSpec,
  inline: boolean,
): readonly string[] {
  const specs = [outer, inner];
  const named = specs.flatMap(({ gates, name }) => [...gates, ...approvalsFor(catalog, name)]);
  const gates = [...new Set([...named, ...(step.requires ?? [])])];
  return gates.length === 0 && !inline ? [GATE_MODE_APPROVAL] : gates;
}

const plus = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  microusd: a.microusd + b.microusd,
});
