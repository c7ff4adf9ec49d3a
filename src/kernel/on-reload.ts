import type { Effect } from '../model/effect.ts';
import { abandonFlight } from './abandon-flight.ts';
import { plannerAttempt } from './ask-planner.ts';
import { askAgain } from './ask-probe.ts';
import { draftAgain } from './draft/ask-drafter.ts';
import type { KernelEnv } from './env.ts';
import { askEffect } from './judges/panel.ts';
import { endLane, lanesOut, spawnLane } from './lanes/open-lane.ts';
import { entriesOf } from './memory/on-memory.ts';
import { readAgain } from './on-reading.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { recoverCall } from './recover-call.ts';
import { revokeAgain } from './revocation/revoke.ts';
import type { RunState } from './state.ts';

/** Another process took the run over. Whatever was in flight is asked for again, if asking again is harmless. */
export const onRunReloaded: Reacts<'run_reloaded'> = (env, state) => {
  const waits = state.session.status === 'paused' && state.ending.inFlight !== null && state.ending.stops.length === 0;
  return waits ? [adrift(state), NOTHING] : askedAgain(env, state);
};

/** Nobody waits for the answer any more, and a paused session asks for nothing: it is asked for when it goes on. */
const adrift = (state: RunState): RunState => ({ ...state, ending: { ...state.ending, adrift: true } });

export function askedAgain(env: KernelEnv, state: RunState): Reaction {
  const flight = state.ending.inFlight;
  if (state.lanes !== undefined && lanesOut(state).length > 0) return [state, lookForLanes(state)];
  if (flight === null) return [state, NOTHING];
  if (flight === 'revocation') return [state, [revokeAgain(state)]];
  if (state.ending.stops.length > 0) return [abandonFlight(env, state), NOTHING];
  if (flight === 'plan') return [state, [plannerAttempt(state)]];
  if (flight === 'draft') return [state, [draftAgain(state)]];
  if (flight === 'reading') return [state, [readAgain(state)]];
  if (flight === 'memory') return [state, [{ kind: 'write_memory', entries: entriesOf(state) }]];
  if (flight === 'compression') return [state, [{ kind: 'compress_context' }]];
  if (flight === 'reflection') return [state, reflectAgain(state)];
  if (flight === 'judges' && state.panel !== null) return [state, [askEffect(state.panel)]];
  if (flight === 'probe') return [state, [askAgain(env, state)]];
  return recoverCall(env, state);
}

/** Each is found again by the call that opened it, wherever it stands by now; or it is opened, if it never was. */
function lookForLanes(state: RunState): readonly Effect[] {
  const isEnding = state.ending.stops.length > 0;
  return lanesOut(state).map((lane) => (isEnding ? endLane(lane, 'parent_ended') : spawnLane(lane)));
}

function reflectAgain(state: RunState): readonly Effect[] {
  const reason = state.planning.reason;
  if (reason === null) throw impossible('a reflection on nothing', state);
  const trigger = reason.code === 'source_conflict' ? 'conflict' : 'low_confidence';
  return [{ kind: 'reflect', trigger, reason }];
}
