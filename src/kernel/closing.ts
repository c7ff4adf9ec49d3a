import type { Effect, EffectKind } from '../model/effect.ts';
import type { Stop } from '../model/stop.ts';
import { finalCheckpoint } from './checkpointing.ts';
import { releaseUnsent } from './drop-current.ts';
import type { KernelEnv } from './env.ts';
import { endLane, lanesOut } from './lanes/open-lane.ts';
import { statusFor } from './lifecycle.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import { revokeIfConfirmed } from './revocation/revoke.ts';
import { abandons } from './rollback/made-effects.ts';
import { beginRollback, isUnderWay } from './rollback/walk-back.ts';
import type { OpenLane, RunState } from './state.ts';
import { chooseStop } from './terminate.ts';
import { walk } from './walk.ts';

/** Notes that the run must end. Which of several conditions counts is decided when nothing is in flight any more. */
export function raise(state: RunState, stop: Stop): RunState {
  return { ...state, ending: { ...state.ending, stops: [...state.ending.stops, stop] } };
}

/** A lane that is told to end may have something to take back first. */
const LANES_CLOSE_MS = 60_000;
const NO_LANES: readonly OpenLane[] = Object.freeze([]);

/** What still goes on record, or out of its hands, when a run is about to end; nothing else that it wanted is done. */
const RECORDED: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'save_checkpoint',
  'escalate_run',
  'note_violation',
  'revoke_credentials',
]);

/**
 * Where every ending begins. A run that is abandoned first takes back what it can of what it did. While a call is in flight it is called back first, so that its outcome is recorded, and
 * waited for only so long; then the run goes to its terminal node by the orchestrator's own edge, whatever node it
 * stands on.
 */
export function closeIfDue(env: KernelEnv, state: RunState, effects: readonly Effect[]): Reaction {
  const { stops, inFlight, closing } = state.ending;
  if (stops.length === 0 || closing || isUnderWay(state)) return [state, effects];
  const kept = effects.filter(({ kind }) => RECORDED.has(kind));
  const lanes = state.lanes === undefined ? NO_LANES : lanesOut(state);
  if (inFlight !== null || lanes.length > 0) {
    if (state.ending.closeBy !== null) return [state, kept];
    const patience = lanes.length === 0 ? env.limits.dispatchWindowMs : LANES_CLOSE_MS;
    const calledBack = { ...state, ending: { ...state.ending, closeBy: state.now + patience } };
    if (lanes.length > 0) return [calledBack, [...kept, ...lanes.map((lane) => endLane(lane, 'parent_ended'))]];
    return inFlight === null ? [calledBack, kept] : [calledBack, [...kept, { kind: 'abort_flight', flight: inFlight }]];
  }
  const revoking = revokeIfConfirmed(state);
  if (revoking !== null) return [revoking[0], [...kept, ...revoking[1]]];
  const { stop, suppressed } = chooseStop(stops);
  const freed = releaseUnsent(state);
  const back = state.ending.rollback === undefined && abandons(stop) ? beginRollback(env, freed) : null;
  if (back !== null && isUnderWay(back[0])) return [back[0], [...kept, ...back[1]]];
  const last = back === null ? freed : back[0];
  const ended = walk(env, { ...last, ending: { ...last.ending, closing: true } }, 'terminate');
  const expired = statusFor(stop.code, stop.reason) === 'expired';
  const [saved, checkpoint] = expired ? finalCheckpoint(env, ended) : [ended, NOTHING];
  return [saved, [...kept, ...checkpoint, { kind: 'terminate_run', stop, suppressed }]];
}
