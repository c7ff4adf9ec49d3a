import type { Stop } from '../model/stop.ts';
import { abandonFlight } from './abandon-flight.ts';
import { raise } from './closing.ts';
import { goOn } from './go-on.ts';
import { lanesDueAt, lookAgain } from './lanes/on-lane.ts';
import { forgoMemory } from './memory/on-memory.ts';
import { NOTHING, type Reacts } from './reaction.ts';
import { isRollingBack } from './rollback/step-at-hand.ts';
import type { RunState } from './state.ts';
import { pause, unsuspend } from './suspend.ts';
import { endsUnanswered } from './unanswered.ts';

/** The clock, as an event. Every limit on time is data in the state, so a run that slept catches up in one step. */
export const onTimePassed: Reacts<'time_passed'> = (env, state, event) => {
  const { session, people, ending } = state;
  if (ending.closeBy !== null) return [event.at < ending.closeBy ? state : abandonFlight(env, state), NOTHING];
  if (event.at >= session.expiresAt) return [raise(state, expiry(state)), NOTHING];
  const gate = people.gates.find((open) => event.at >= open.expiresAt);
  if (gate !== undefined) {
    if (gate.kind === 'memory') return forgoMemory(env, unsuspend(state));
    const detail = { gate: gate.name, step_id: gate.stepId };
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'gate_expired', detail }), NOTHING];
  }
  const due = state.lanes === undefined ? null : lookAgain(state);
  if (due !== null) return due;
  const unanswered = event.at >= answerBy(state) ? endsUnanswered(state) : null;
  if (unanswered !== null) return [raise(state, { ...unanswered, reason: 'wait_expired' }), NOTHING];
  if (isResumeDue(state)) return goOn(env, unsuspend(state));
  if (session.status !== 'in_progress') return [state, NOTHING];
  if (session.deadlineAt !== null && event.at >= session.deadlineAt) {
    return [raise(state, { code: 'TIMEOUT', reason: 'workflow_timeout' }), NOTHING];
  }
  if (heartbeatLost(state)) return [pause(state, 'heartbeat_lost', 'watchdog', 'operator'), NOTHING];
  return [state, NOTHING];
};

/** A session that runs out of time while it waits ends with the code of what it was waiting for. */
function expiry(state: RunState): Stop {
  return { ...(endsUnanswered(state) ?? { code: 'TIMEOUT' }), reason: 'session_expired' };
}

/** Until when the user can answer, or somebody who was handed the run can decide. */
function answerBy({ session, people: { escalation, question } }: RunState): number {
  if (session.status !== 'paused') return Number.POSITIVE_INFINITY;
  return (question ?? escalation)?.expiresAt ?? Number.POSITIVE_INFINITY;
}

function heartbeatLost(state: RunState): boolean {
  const { heartbeatMs, lastSeen } = state.session;
  return heartbeatMs !== null && state.now >= lastSeen + 2 * heartbeatMs;
}

/** An interrupted session goes on by itself, once what was under way has landed: whoever interrupted it decided so. */
function isResumeDue({ session, ending, now }: RunState): boolean {
  const resumesAt = session.pause?.resumesAt;
  return resumesAt !== undefined && now >= resumesAt && (ending.inFlight === null || ending.adrift !== undefined);
}

/** When somebody should next look after this run: at its next deadline, or at once where a resume is queued. */
export function nextWake(state: RunState): number | null {
  const deadline = nextDeadline(state);
  const resumesAt = state.session.pause?.resumesAt;
  if (deadline === null || resumesAt === undefined) return deadline;
  return state.ending.inFlight === null || state.ending.adrift !== undefined ? Math.min(deadline, resumesAt) : deadline;
}

/** When this run next has to look at the clock, if nothing else happens before. */
export function nextDeadline(state: RunState): number | null {
  if (state.ending.terminal !== null) return null;
  if (state.ending.closeBy !== null) return state.ending.closeBy;
  const { session, people } = state;
  let at = session.expiresAt;
  for (const gate of people.gates) at = Math.min(at, gate.expiresAt);
  at = Math.min(at, answerBy(state));
  if (state.lanes !== undefined) at = Math.min(at, lanesDueAt(state));
  if (session.status !== 'in_progress' || isRollingBack(state)) return at;
  if (session.deadlineAt !== null) at = Math.min(at, session.deadlineAt);
  if (session.heartbeatMs !== null) at = Math.min(at, session.lastSeen + 2 * session.heartbeatMs);
  return at;
}
