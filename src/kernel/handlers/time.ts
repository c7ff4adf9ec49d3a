import type { Stop } from '../../model/fault/terminal-code.ts';
import { abandonFlight } from '../flow/call/late-answer.ts';
import { lanesDueAt, resumeDueLanes } from '../flow/lane/lane.ts';
import { forgoMemory } from '../flow/people/memory.ts';
import { resumeWork } from '../flow/people/resume-work.ts';
import { stopIfUnanswered } from '../query/gate/escalation.ts';
import { gateDetail } from '../query/gate/gate-parts.ts';
import { isRollingBack } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reacts, raise } from '../transition/reaction.ts';
import { pause, unsuspend } from '../transition/suspend.ts';

/** Applies all time limits. They are data in the state, so a run that was not driven catches up in one step. */
export const onTimePassed: Reacts<'time_passed'> = (env, state, event) => {
  const { session, people, ending } = state;
  if (ending.closeBy !== null) return [event.at < ending.closeBy ? state : abandonFlight(env, state), NO_EFFECTS];
  if (event.at >= session.expiresAt) return [raise(state, expiryStop(state)), NO_EFFECTS];
  const gate = people.gates.find((open) => event.at >= open.expiresAt);
  if (gate !== undefined) {
    if (gate.kind === 'memory') return forgoMemory(env, unsuspend(state));
    const detail = gateDetail(gate);
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'gate_expired', detail }), NO_EFFECTS];
  }
  const due = state.lanes === undefined ? null : resumeDueLanes(state);
  if (due !== null) return due;
  const unanswered = event.at >= answerBy(state) ? stopIfUnanswered(state) : null;
  if (unanswered !== null) return [raise(state, { ...unanswered, reason: 'wait_expired' }), NO_EFFECTS];
  if (isResumeDue(state)) return resumeWork(env, unsuspend(state));
  if (session.status !== 'in_progress') return [state, NO_EFFECTS];
  if (session.deadlineAt !== null && event.at >= session.deadlineAt) {
    return [raise(state, { code: 'TIMEOUT', reason: 'workflow_timeout' }), NO_EFFECTS];
  }
  if (isHeartbeatLost(state)) return [pause(state, 'heartbeat_lost', 'watchdog', 'operator'), NO_EFFECTS];
  return [state, NO_EFFECTS];
};

/** The stop of an expired session: that of the open question or decision, if it waits for one. */
function expiryStop(state: RunState): Stop {
  return { ...(stopIfUnanswered(state) ?? { code: 'TIMEOUT' }), reason: 'session_expired' };
}

/** The time until which the open question or escalation can be answered. */
function answerBy({ session, people: { escalation, question } }: RunState): number {
  if (session.status !== 'paused') return Number.POSITIVE_INFINITY;
  return (question ?? escalation)?.expiresAt ?? Number.POSITIVE_INFINITY;
}

function isHeartbeatLost(state: RunState): boolean {
  const { heartbeatMs, lastSeen } = state.session;
  return heartbeatMs !== null && state.now >= lastSeen + 2 * heartbeatMs;
}

/** Whether an interrupted session resumes by itself: once the effect in flight has finished. */
function isResumeDue({ session, ending, now }: RunState): boolean {
  const resumesAt = session.pause?.resumesAt;
  return (
    resumesAt !== undefined && now >= resumesAt && (ending.inFlight === null || ending.resendOnResume !== undefined)
  );
}

/** The time at which the run needs attention: its next deadline, or a queued resume. */
export function nextWake(state: RunState): number | null {
  const deadline = nextDeadline(state);
  const resumesAt = state.session.pause?.resumesAt;
  if (deadline === null || resumesAt === undefined) return deadline;
  return state.ending.inFlight === null || state.ending.resendOnResume !== undefined
    ? Math.min(deadline, resumesAt)
    : deadline;
}

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
