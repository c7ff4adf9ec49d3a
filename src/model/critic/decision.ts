import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Text } from '../json/name.ts';
import { RiskClass } from '../policy/risk.ts';

/** A decision of the catalogue: its preconditions and the tools that it governs. */
export interface DecisionSpec {
  readonly decision_id: string;
  readonly version: string;
  readonly description: string;
  /** Evidence types that must be resolved when the checkpoint is reached. */
  readonly evidence: readonly string[];
  readonly approvals: readonly string[];
  readonly controls: readonly string[];
  readonly evaluators: readonly string[];
  readonly accept_threshold: number;
  readonly risk_class: RiskClass;
  /** Tools that may only run after this decision's checkpoint. */
  readonly actions: readonly string[];
}
export const DecisionSpec: z.ZodType<DecisionSpec> = exactObject({
  decision_id: Name,
  version: Name,
  description: Text,
  evidence: z.array(Name),
  approvals: z.array(Name),
  controls: z.array(Name),
  evaluators: z.array(Name),
  accept_threshold: z.number().min(0).max(1),
  risk_class: RiskClass,
  actions: z.array(Name),
});

/** The gates that decisions require for a tool, in addition to those of the tool and the plan. */
export function approvalsFor(catalog: ReadonlyMap<string, DecisionSpec>, tool: string): readonly string[] {
  let gates = NO_GATES;
  for (const { actions, approvals } of catalog.values()) {
    if (approvals.length > 0 && actions.includes(tool)) gates = [...new Set([...gates, ...approvals])];
  }
  return gates;
}

const NO_GATES: readonly string[] = Object.freeze([]);
