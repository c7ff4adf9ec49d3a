import { DecisionSpec } from '../model/critic/decision.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { parseNamed } from '../model/json/parse.ts';
import { printable } from '../model/json/printable.ts';
import type { RiskClass } from '../model/policy/risk.ts';
import type { BoundTool } from '../ports/bound-tool.ts';

export interface DecisionOptions {
  readonly id: string;
  readonly description?: string;
  readonly version?: string;
  /** Evidence types that the decision requires. */
  readonly evidence?: readonly string[];
  /** Gates that must approve the decision. */
  readonly approvals?: readonly string[];
  /** Tools, or tool names, that may run only after the decision. */
  readonly actions?: readonly (BoundTool | string)[];
  readonly risk?: RiskClass;
  readonly judgement?: {
    readonly evaluators?: readonly string[];
    readonly controls?: readonly string[];
    readonly acceptThreshold?: number;
  };
}

const ACCEPT_THRESHOLD = 0.8;

/** Declares a decision of the catalogue. Its risk is high unless `risk` is set. */
export function decision(options: DecisionOptions): DecisionSpec {
  const { id, description = id, version = '1', evidence = [], approvals = [], actions = [], risk = 'high' } = options;
  const { evaluators = [], controls = [], acceptThreshold = ACCEPT_THRESHOLD } = options.judgement ?? {};
  const spec = {
    decision_id: id,
    version,
    description,
    evidence,
    approvals,
    controls,
    evaluators,
    accept_threshold: acceptThreshold,
    risk_class: risk,
    actions: actions.map((action) => (typeof action === 'string' ? action : action.spec.name)),
  };
  return deepFreeze(parseNamed(`decision ${printable(String(id))}`, DecisionSpec, spec, 'input_invalid'));
}
