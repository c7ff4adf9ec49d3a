import { atLeast, type RiskClass } from './risk.ts';

/** A model alone, a tool's observation, or verified sources that a reviewer can follow. */
export type Reasoning = 'direct' | 'tool' | 'sources';

/**
 * Kinds of work and who may answer for them. A model may draft and estimate; precision, outside state and the
 * result of any action come from a tool, because only the tool can prove them.
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
 * How a task must be answered, from its kind and risk alone. A kind nobody listed needs a tool, and an estimate is
 * only good enough while little hangs on it.
 */
export function requiredReasoning(task: string, risk: RiskClass): Reasoning {
  if (task === 'rough_estimate' && atLeast(risk, 'moderate')) return 'tool';
  return TASKS.get(task) ?? 'tool';
}
