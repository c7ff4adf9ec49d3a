import type { Effect, EffectKind } from '../../model/events/effect.ts';
import type { KernelEnv } from '../env.ts';
import { endLane, findOpenLanes } from '../query/lane/open-lanes.ts';
import { abandonsEffects } from '../query/rollback/made-effects.ts';
import { statusFor } from '../state/lifecycle.ts';
import type { OpenLane, RunState } from '../state/run-state.ts';
import { finalCheckpoint } from './checkpoint.ts';
import { NO_EFFECTS, type Reaction, releaseUnsent } from './reaction.ts';
import { revokeIfConfirmed } from './revoke.ts';
import { beginRollback, isCompensating } from './roll-back.ts';
import { chooseStop } from './stop.ts';
import { walk } from './walk.ts';

/** The time that lanes have to end. A lane may have to roll back first. */
const LANES_CLOSE_MS = 60_000;
const NO_LANES: readonly OpenLane[] = Object.freeze([]);

/** The effects that are still performed when a run is about to end. Others are dropped. */
const RECORDED: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'save_checkpoint',
  'escalate_run',
  'note_violation',
  'revoke_credentials',
  'end_lane',
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
