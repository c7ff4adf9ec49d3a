import type { Effect, EffectKind } from '../../model/events/effect.ts';
import { Fault } from '../../model/fault/fault.ts';
import { PRECEDENCE, type Stop, type TerminalCode } from '../../model/fault/terminal-code.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { KernelEnv } from '../env.ts';
import { endLane, findOpenLanes } from '../query/lane/open-lanes.ts';
import { abandonsEffects } from '../query/rollback/made-effects.ts';
import { statusFor } from '../state/lifecycle.ts';
import type { OpenLane, RunState } from '../state/run-state.ts';
import { finalCheckpoint } from './checkpoint.ts';
import { NO_EFFECTS, type Reaction, releaseUnsent } from './reaction.ts';
import { revokeIfConfirmed } from './revoke.ts';
import { beginRollback, isCompensating } from './roll-back.ts';
import { walk } from './walk.ts';

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
 * secondary work, which makes the success partial.
 */
export function completionStop(met: SuccessCriteria, unresolved: readonly string[]): Stop | null {
  if (!successAllowed(met)) return null;
  if (unresolved.length === 0) return { code: 'SUCCESS', reason: 'goal_met' };
  return { code: 'PARTIAL_SUCCESS', reason: 'secondary_unresolved', detail: { unresolved } };
}

/** The time that lanes have to end. A lane may have to roll back first. */
const LANES_CLOSE_MS = 60_000;
const NO_LANES: readonly OpenLane[] = Object.freeze([]);

/** The effects that are still performed when a run is about to end. Others are dropped. */
const RECORDED: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'save_checkpoint',
  'escalate_run',
  'note_violation',
  'revoke_credentials',
]);

/**
 * Ends a run that has a stop condition. First it recalls lanes and the effect in flight, so that their outcome is
 * recorded, and waits for them for a limited time. Then it revokes compromised credentials and rolls back an abandoned
 * run. Last it moves to the terminal node, which every node has an edge to.
 */
export function closeIfDue(env: KernelEnv, state: RunState, effects: readonly Effect[]): Reaction {
  const { stops, inFlight, closing } = state.ending;
  if (stops.length === 0 || closing || isCompensating(state)) return [state, effects];
  const kept = effects.filter(({ kind }) => RECORDED.has(kind));
  const lanes = state.lanes === undefined ? NO_LANES : findOpenLanes(state);
  if (inFlight !== null || lanes.length > 0) {
    if (state.ending.closeBy !== null) return [state, kept];
    const waitMs = lanes.length === 0 ? env.limits.dispatchWindowMs : LANES_CLOSE_MS;
    const recalled = { ...state, ending: { ...state.ending, closeBy: state.now + waitMs } };
    if (lanes.length > 0) return [recalled, [...kept, ...lanes.map((lane) => endLane(lane, 'parent_ended'))]];
    return inFlight === null ? [recalled, kept] : [recalled, [...kept, { kind: 'abort_flight', flight: inFlight }]];
  }
  const revoking = revokeIfConfirmed(state);
  if (revoking !== null) return [revoking[0], [...kept, ...revoking[1]]];
  const { stop, suppressed } = chooseStop(stops);
  const released = releaseUnsent(state);
  const rolledBack = state.ending.rollback === undefined && abandonsEffects(stop) ? beginRollback(env, released) : null;
  if (rolledBack !== null && isCompensating(rolledBack[0])) return [rolledBack[0], [...kept, ...rolledBack[1]]];
  const last = rolledBack === null ? released : rolledBack[0];
  const ended = walk(env, { ...last, ending: { ...last.ending, closing: true } }, 'terminate');
  const expired = statusFor(stop.code, stop.reason) === 'expired';
  const [saved, checkpoint] = expired ? finalCheckpoint(env, ended) : [ended, NO_EFFECTS];
  return [saved, [...kept, ...checkpoint, { kind: 'terminate_run', stop, suppressed }]];
}
