import { canonicalize } from '../model/canonical.ts';
import { Fault } from '../model/fault.ts';
import type { Stop } from '../model/stop.ts';
import type { TerminalCode } from '../model/terminal-code.ts';

/**
 * Which code a run ends with when several conditions hold at once, strongest first: protection, then the person who
 * said stop, then the system's limits, then causes (something is down, something is missing), then their symptoms in
 * quality, and success only when nothing else is left to say.
 */
export const PRECEDENCE: readonly TerminalCode[] = [
  'UNSAFE_DETECTION',
  'PERMISSION_DENIED',
  'USER_CANCEL',
  'TIMEOUT',
  'BUDGET_EXHAUSTED',
  'REPEATED_FAILURE',
  'UNAVAILABLE_DEP',
  'IMPOSSIBLE',
  'MISSING_INFO',
  'AMBIGUOUS_INTENT',
  'CONFIRM_REQUIRED',
  'REVIEW_REQUIRED',
  'VALIDATION_FAIL',
  'LOW_CONFIDENCE',
  'SOURCE_CONFLICT',
  'PARTIAL_SUCCESS',
  'SUCCESS',
];

const RANK: ReadonlyMap<string, number> = new Map(PRECEDENCE.map((code, rank) => [code, rank]));

/** The condition a run ends with, and the codes of those that held as well, strongest first. */
export interface ChosenStop {
  readonly stop: Stop;
  readonly suppressed: readonly TerminalCode[];
}

/** Depends on which conditions hold, never on the order in which they were noticed. */
export function chooseStop(conditions: readonly Stop[]): ChosenStop {
  let stop: Stop | undefined;
  for (const condition of conditions) {
    if (stop === undefined || compare(condition, stop) < 0) stop = condition;
  }
  if (stop === undefined) throw new Fault('terminal_code_unknown', 'a run cannot end without a stop condition');
  rankOf(stop);
  const { code } = stop;
  const others = new Set(conditions.map((condition) => condition.code));
  return { stop, suppressed: PRECEDENCE.filter((other) => other !== code && others.has(other)) };
}

function rankOf(stop: Stop): number {
  const rank = RANK.get(stop.code);
  if (rank === undefined) throw new Fault('terminal_code_unknown', `${String(stop.code)} is not a terminal code`);
  return rank;
}

function compare(a: Stop, b: Stop): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0 || a === b) return byRank;
  const [left, right] = [tieBreak(a), tieBreak(b)];
  return left < right ? -1 : Number(left > right);
}

/** Conditions of one code are told apart by reason, then by detail, in code units: no locale, no arrival time. */
function tieBreak(stop: Stop): string {
  return `${stop.reason}\n${canonicalize(stop.detail ?? {})}`;
}

/** What has to be true of an output before it may be called a success. The model's own word is none of the four. */
export interface SuccessCriteria {
  readonly goal: boolean;
  readonly validation: boolean;
  readonly grounding: boolean;
  readonly safety: boolean;
}

export function successAllowed(met: SuccessCriteria): boolean {
  return met.goal && met.validation && met.grounding && met.safety;
}

/**
 * How a run that has nothing left to do may end well, or null if it may not. `unresolved` names the secondary work
 * that failed: the primary goal stands without it, and whoever reads the ending has to be told.
 */
export function completion(met: SuccessCriteria, unresolved: readonly string[]): Stop | null {
  if (!successAllowed(met)) return null;
  if (unresolved.length === 0) return { code: 'SUCCESS', reason: 'goal_met' };
  return { code: 'PARTIAL_SUCCESS', reason: 'secondary_unresolved', detail: { unresolved } };
}
