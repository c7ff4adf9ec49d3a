import { runsInline } from '../model/approval-mode.ts';
import { BOUNDARY_GATE } from '../model/boundary.ts';
import type { DryRun, PlannedCall } from '../model/dry-run.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import { realCalls } from '../model/inner-call.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import { addCost, NO_COST, type ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import { blastRadius, rollbackPath } from './hazards.ts';
import { indexPlan } from './plan-index.ts';
import { specOf } from './spec-of.ts';
import { effectiveMode } from './verify/effective-mode.ts';
import { approvalsFor } from './verify/governing-decisions.ts';

type Known = Pick<KernelEnv, 'tools' | 'catalog'>;

/** What asks for gates besides tools, catalogue and plan: the boundary, and what the policies said about each step. */
export interface AlsoAsked {
  readonly needsApproval: readonly string[];
  readonly policyGates: (stepId: string) => readonly string[];
}

const NOBODY_ELSE: AlsoAsked = Object.freeze({ needsApproval: Object.freeze([]), policyGates: () => [] });

/**
 * Walks a plan without running it. What a dispatcher would call is shown where its arguments already say so. Gates that
 * depend on what a call holds, such as those of a category or for untrusted values, are known only when it is cleared.
 */
export function dryRun(env: Known, plan: Plan, also: AlsoAsked = NOBODY_ELSE): DryRun {
  const calls = indexPlan(plan).order.flatMap((place, at): readonly PlannedCall[] => {
    const step = plan.steps[place];
    return step === undefined ? [] : [plannedCall(env, step, at + 1, also)];
  });
  return {
    calls,
    side_effects: calls.filter(({ side_effect }) => side_effect).length,
    approvals: calls.reduce((sum, { gates }) => sum + gates.length, 0),
    cost: calls.map(({ cost }) => cost).reduce(addCost, NO_COST),
  };
}

function plannedCall(env: Known, step: PlanStep, n: number, also: AlsoAsked): PlannedCall {
  const outer = specOf(env, step.tool);
  const made = { tool: step.tool, args: step.params ?? {} };
  const chain = realCalls(made, (tool) => env.tools.get(tool)) ?? [made];
  const specs = chain.map(({ tool }) => env.tools.get(tool) ?? outer);
  const [real, spec] = [chain.at(-1) ?? made, specs.at(-1) ?? outer];
  const mode = specs.reduce((sofar, each) => effectiveMode({ approval_mode: sofar }, each), effectiveMode(step, outer));
  return {
    n,
    step_id: step.id,
    action: real.tool,
    parameters: real.args,
    approval_mode: mode,
    gates: gatesBefore(env, step, specs, runsInline(mode), also),
    side_effect: specs.some(({ side_effect }) => side_effect),
    blast_radius: blastRadius(spec),
    rollback_path: rollbackPath(spec),
    cost: [...new Set(specs)].map(({ cost }) => cost).reduce(addCost, NO_COST),
  };
}

function gatesBefore(
  { catalog }: Known,
  step: PlanStep,
  specs: readonly ToolSpec[],
  inline: boolean,
  { needsApproval, policyGates }: AlsoAsked,
): readonly string[] {
  const named = specs.flatMap(({ gates, name }) => [...gates, ...approvalsFor(catalog, name)]);
  const bounded = specs.some(({ name }) => needsApproval.includes(name)) ? [BOUNDARY_GATE] : [];
  const gates = [...new Set([...named, ...(step.requires ?? []), ...bounded, ...policyGates(step.id)])];
  return gates.length === 0 && !inline ? [GATE_MODE_APPROVAL] : gates;
}
