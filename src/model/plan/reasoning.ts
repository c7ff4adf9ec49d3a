import { atLeast, type RiskClass } from '../policy/risk.ts';

/** The basis of an answer: the model alone, a tool's observation, or verified sources that a reviewer can check. */
export type Reasoning = 'direct' | 'tool' | 'sources';

/** The required reasoning of a run. */
export interface RequiredReasoning {
  readonly needed: Reasoning;
  readonly task: string;
  /** The intent that a refusal names. Absent in runs that were recorded before refusals named it. */
  readonly intent?: string;
}

/**
 * The required reasoning by kind of task. A model may draft and estimate; precise values, external state and the result
 * of an action must come from a tool, because only the tool can prove them.
 */
const TASKS: ReadonlyMap<string, Reasoning> = new Map<string, Reasoning>([
  ['rough_estimate', 'direct'],
  ['drafting', 'direct'],
  ['summary_of_given', 'direct'],
  ['summary_with_retrieval', 'tool'],
  ['exact_calculation', 'tool'],
  ['current_fact', 'tool'],
  ['account_state', 'tool'],
  ['code_result', 'tool'],
  ['tool_result', 'tool'],
  ['high_stakes_advice', 'sources'],
]);

/**
 * Returns the required reasoning for a kind of task at a risk. An unlisted kind needs a tool, and a model's estimate is
 * sufficient only at low risk.
 */
export function requiredReasoning(task: string, risk: RiskClass): Reasoning {
  if (task === 'rough_estimate' && atLeast(risk, 'moderate')) return 'tool';
  return TASKS.get(task) ?? 'tool';
}
