import type { Effect } from '../../../model/events/effect.ts';
import { violation } from '../../../model/events/effect-kinds.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { TerminalCode } from '../../../model/fault/terminal-code.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Json } from '../../../model/json/json.ts';
import type { ReflectionTrigger } from '../../../model/plan/proposal.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';

/** The limit of one reflection trigger, and the terminal code when it is used up. */
interface ReflectionRow {
  /** Passes in a row. A success of the failed operation resets the count. */
  readonly passesMax: number;
  readonly exhausted: TerminalCode;
}

const ROWS: Readonly<Record<ReflectionTrigger, ReflectionRow>> = {
  tool_failure: { passesMax: 2, exhausted: 'REPEATED_FAILURE' },
  low_confidence: { passesMax: 1, exhausted: 'LOW_CONFIDENCE' },
  conflict: { passesMax: 1, exhausted: 'SOURCE_CONFLICT' },
  context_bloat: { passesMax: 1, exhausted: 'BUDGET_EXHAUSTED' },
  // A result that contradicts the goal goes to a person, not to the model.
  plan_divergence: { passesMax: 0, exhausted: 'REVIEW_REQUIRED' },
};

export function reflectionRow(trigger: string): ReflectionRow {
  if (Object.hasOwn(ROWS, trigger)) return ROWS[trigger as ReflectionTrigger];
  throw new Fault('reflection_not_allowed', `"${trigger}" is no occasion for a reflection`);
}

/** Whether the run may reflect once more. If not: the limit that was reached and its terminal code. */
type ReflectionRuling =
  | { readonly allow: true; readonly passesLeft: number }
  | { readonly allow: false; readonly bound: 'row' | 'budget'; readonly code: TerminalCode };

/**
 * Applies the smaller limit: the passes that the trigger has left, or the run's reflection budget. Compression does not
 * use the budget, because it frees context.
 */
export function mayReflect(trigger: string, used: number, budgetLeft: number): ReflectionRuling {
  const row = reflectionRow(trigger);
  const rowLeft = row.passesMax - used;
  if (!(rowLeft > 0)) return { allow: false, bound: 'row', code: row.exhausted };
  if (trigger === 'context_bloat') return { allow: true, passesLeft: rowLeft };
  if (!(budgetLeft > 0)) return { allow: false, bound: 'budget', code: row.exhausted };
  return { allow: true, passesLeft: Math.min(rowLeft, budgetLeft) };
}

/**
 * A hash of the things that a reflection can change: the plan, the current observation and the known evidence. Ids and
 * counters are left out, since they change anyway.
 */
export function reflectionMark(env: KernelEnv, { planning, current, work }: RunState): string {
  const steps = (planning.active?.plan.steps ?? []) as unknown as Json;
  const observation = current?.observed?.raw ?? null;
  return env.hash(canonicalize([steps, observation, Object.keys(work.evidenceByType)]));
}

/** Returns a violation if the last reflection cost tokens and changed nothing, otherwise null. */
export function findIdleReflection(env: KernelEnv, state: RunState): Effect | null {
  const { reflected } = state.counters;
  if (reflected === undefined || reflected.tokens === 0 || reflected.mark !== reflectionMark(env, state)) return null;
  return violation('reflection', 'reflect', `the last one took ${reflected.tokens} tokens and changed nothing`);
}
