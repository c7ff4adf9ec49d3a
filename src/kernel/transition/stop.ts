import { Fault } from '../../model/fault/fault.ts';
import { PRECEDENCE, type ReplyReason, type Stop, type TerminalCode } from '../../model/fault/terminal-code.ts';
import { canonicalize } from '../../model/json/canonical.ts';

const RANK: ReadonlyMap<string, number> = new Map(PRECEDENCE.map((code, rank) => [code, rank]));

/** The stop that ends a run, and the codes of the other conditions, strongest first. */
interface ChosenStop {
  readonly stop: Stop;
  readonly suppressed: readonly TerminalCode[];
}

/** Chooses the strongest stop. The result does not depend on the order of the conditions. */
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

/** Orders conditions of one code by reason, then by detail, in code units, independent of locale and time. */
function tieBreak(stop: Stop): string {
  return `${stop.reason}\n${canonicalize(stop.detail ?? {})}`;
}

/** The criteria for a success. A model's claim is not among them. */
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
 * The successful stop of a run with no work left, or null if the criteria are not met. `unresolved` names failed
 * secondary work, which makes the success partial. `reply` is the reason of a run that only replied.
 */
export function completionStop(met: SuccessCriteria, unresolved: readonly string[], reply?: ReplyReason): Stop | null {
  if (!successAllowed(met)) return null;
  if (unresolved.length === 0) return { code: 'SUCCESS', reason: reply ?? 'goal_met' };
  return { code: 'PARTIAL_SUCCESS', reason: 'secondary_unresolved', detail: { unresolved } };
}
