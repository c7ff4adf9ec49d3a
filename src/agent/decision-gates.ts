import { approvalsFor, DecisionSpec } from '../model/critic/decision.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { AmbitOptions } from './options.ts';

/**
 * Gives a tool the gates of the decisions that govern it, unless its author stated gates: a decision that names who
 * approves it replaces the default gate of the mode, so that a plan names the decision's gate alone.
 */
export function withDecisionGates(options: AmbitOptions): AmbitOptions {
  // Malformed decisions are reported later, with all other faults.
  const decisions = (options.decisions ?? []).filter((decision) => DecisionSpec.safeParse(decision).success);
  const catalog = new Map(decisions.map((decision) => [decision.decision_id, decision]));
  return catalog.size === 0 ? options : { ...options, tools: options.tools.map((tool) => withGates(tool, catalog)) };
}

function withGates(tool: BoundTool, catalog: ReadonlyMap<string, DecisionSpec>): BoundTool {
  const { spec, stated } = tool;
  if (stated === undefined || stated.includes('risk.gates') || spec.gates.length === 0) return tool;
  const gates = approvalsFor(catalog, spec.name);
  return gates.length === 0 ? tool : { ...tool, spec: { ...spec, gates } };
}
