import { Fault } from '../model/fault.ts';
import type { ReflectionTrigger } from '../model/reflection.ts';
import type { TerminalCode } from '../model/terminal-code.ts';

/** What one occasion for reflection allows, and where the run goes when that is used up. */
export interface ReflectionRow {
  /** Passes in a row. A success of what had failed starts the count anew. */
  readonly passesMax: number;
  readonly exhausted: TerminalCode;
}

const ROWS: Readonly<Record<ReflectionTrigger, ReflectionRow>> = {
  tool_failure: { passesMax: 2, exhausted: 'REPEATED_FAILURE' },
  low_confidence: { passesMax: 1, exhausted: 'LOW_CONFIDENCE' },
  conflict: { passesMax: 1, exhausted: 'SOURCE_CONFLICT' },
  context_bloat: { passesMax: 1, exhausted: 'BUDGET_EXHAUSTED' },
  // A result that contradicts the goal is not for the model to explain to itself.
  plan_divergence: { passesMax: 0, exhausted: 'REVIEW_REQUIRED' },
};

export function reflectionRow(trigger: string): ReflectionRow {
  if (Object.hasOwn(ROWS, trigger)) return ROWS[trigger as ReflectionTrigger];
  throw new Fault('reflection_not_allowed', `"${trigger}" is no occasion for a reflection`);
}

/** Whether the run may reflect once more; if not, which bound says no and the code that stands for the situation. */
export type ReflectionRuling =
  | { readonly allow: true; readonly passesLeft: number }
  | { readonly allow: false; readonly bound: 'row' | 'budget'; readonly code: TerminalCode };

/**
 * The smaller bound rules: what the row still allows after `used` passes in a row, or what is left of the run's
 * reflection budget. Compression is counted by its row alone, since it makes room rather than spends.
 */
export function mayReflect(trigger: string, used: number, budgetLeft: number): ReflectionRuling {
  const row = reflectionRow(trigger);
  const rowLeft = row.passesMax - used;
  if (!(rowLeft > 0)) return { allow: false, bound: 'row', code: row.exhausted };
  if (trigger === 'context_bloat') return { allow: true, passesLeft: rowLeft };
  if (!(budgetLeft > 0)) return { allow: false, bound: 'budget', code: row.exhausted };
  return { allow: true, passesLeft: Math.min(rowLeft, budgetLeft) };
}
