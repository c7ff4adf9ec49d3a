import { approvalsFor } from '../../../model/critic/decision.ts';
import { runsInline } from '../../../model/gate/approval-mode.ts';
import { GATE_DRAFT_APPROVAL, GATE_MODE_APPROVAL } from '../../../model/gate/gate.ts';
import type { DryRun, PlannedCall } from '../../../model/plan/dry-run.ts';
import type { Plan, PlanStep } from '../../../model/plan/plan.ts';
import { BOUNDARY_GATE } from '../../../model/policy/boundary.ts';
import { realCalls } from '../../../model/tool/inner-call.ts';
import { addCost, NO_COST, type ToolCategory, type ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { indexPlan } from '../../state/plan-index.ts';
import { effectiveMode } from '../../verify/step-rules.ts';
import { carriesDraft, type StepFinder } from './drafts.ts';
import { leavesRun, specOf } from './tools.ts';

/** The blast radius that the tool declares, or the default of its category. */
export const blastRadius = ({ hazards, category }: ToolSpec): string => hazards?.blast_radius ?? USUAL_REACH[category];

/** The way to undo a call. Without a declaration, the packet says that it cannot be undone. */
export function rollbackPath({ hazards, probes, side_effect }: ToolSpec): string {
  if (hazards?.rollback !== undefined) return hazards.rollback;
  if (probes?.compensate !== undefined) return `Taken back by ${probes.compensate}.`;
  return side_effect ? 'None is declared: take it that this cannot be undone.' : 'Nothing to take back.';
}

const USUAL_REACH: Readonly<Record<ToolCategory, string>> = {
  read_only_lookup: 'Reads; nothing is changed.',
  vector_retrieval: 'Reads; nothing is changed.',
  live_api: 'Whatever this account may change in the service behind the interface.',
  sandbox_code: 'Whatever code may do inside its sandbox.',
  file_system: 'The files that the arguments name.',
  database: 'The rows that the statement touches.',
  email_calendar: 'Everybody whom the message or the invitation reaches; it cannot be unsent.',
  payment: 'The money and the account that the arguments name.',
  infrastructure: 'The running systems that the arguments name, and whoever depends on them.',
  review_queue: 'A queue that people work through.',
};

type DryRunEnv = Pick<KernelEnv, 'tools' | 'catalog'>;

/** Sources of gates besides tools, catalogue and plan: the boundary and the policy decision on each step. */
export interface GateSources {
  readonly needsApproval: readonly string[];
  readonly policyGates: (stepId: string) => readonly string[];
  /** Whether drafted text gets a gate of its own if no other gate shows it. */
  readonly draftsShown?: boolean;
}

const NO_OTHER_GATES: GateSources = Object.freeze({ needsApproval: Object.freeze([]), policyGates: () => [] });

/**
 * Lists the calls of a plan without running it. The inner call of a dispatcher is shown if its arguments are literal.
 * Gates that depend on argument values are known only when the call is cleared.
 */
export function dryRun(env: DryRunEnv, plan: Plan, gateSources: GateSources = NO_OTHER_GATES): DryRun {
  const { order, indexOf } = indexPlan(plan);
  const steps: StepFinder = {
    byId: (id) => plan.steps[indexOf.get(id) ?? -1],
    byKey: (key) => plan.steps.filter(({ context_key }) => context_key === key),
  };
  const calls = order.flatMap((place, at): readonly PlannedCall[] => {
    const step = plan.steps[place];
    if (step === undefined) return [];
    const draftsShown = gateSources.draftsShown === true && carriesDraft(step, steps);
    return [plannedCall(env, step, at + 1, { ...gateSources, draftsShown })];
  });
  return {
    calls,
    side_effects: calls.filter(({ side_effect }) => side_effect).length,
    approvals: calls.reduce((sum, { gates }) => sum + gates.length, 0),
    cost: calls.map(({ cost }) => cost).reduce(addCost, NO_COST),
  };
}

function plannedCall(env: DryRunEnv, step: PlanStep, n: number, gateSources: GateSources): PlannedCall {
  const outer = specOf(env, step.tool);
  const planned = { tool: step.tool, args: step.params ?? {} };
  const chain = realCalls(planned, (tool) => env.tools.get(tool)) ?? [planned];
  const specs = chain.map(({ tool }) => env.tools.get(tool) ?? outer);
  const [real, spec] = [chain.at(-1) ?? planned, specs.at(-1) ?? outer];
  const mode = specs.reduce(
    (strictest, each) => effectiveMode({ approval_mode: strictest }, each),
    effectiveMode(step, outer),
  );
  return {
    n,
    step_id: step.id,
    action: real.tool,
    parameters: real.args,
    approval_mode: mode,
    gates: gatesBefore(env, step, specs, runsInline(mode), gateSources),
    side_effect: specs.some(({ side_effect }) => side_effect),
    blast_radius: blastRadius(spec),
    rollback_path: rollbackPath(spec),
    cost: [...new Set(specs)].map(({ cost }) => cost).reduce(addCost, NO_COST),
  };
}

function gatesBefore(
  { catalog }: DryRunEnv,
  step: PlanStep,
  specs: readonly ToolSpec[],
  inline: boolean,
  { needsApproval, policyGates, draftsShown = false }: GateSources,
): readonly string[] {
  const declaredGates = specs.flatMap(({ gates, name }) => [...gates, ...approvalsFor(catalog, name)]);
  const boundaryGates = specs.some(({ name }) => needsApproval.includes(name)) ? [BOUNDARY_GATE] : [];
  const gates = [...new Set([...declaredGates, ...(step.requires ?? []), ...boundaryGates, ...policyGates(step.id)])];
  if (gates.length > 0) return gates;
  if (!inline) return [GATE_MODE_APPROVAL];
  return draftsShown && specs.some(leavesRun) ? [GATE_DRAFT_APPROVAL] : gates;
}
