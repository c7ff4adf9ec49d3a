import type { Effect } from '../../../model/events/effect.ts';
import type { KernelEnv } from '../../env.ts';
import { endLane, findOpenLanes, spawnLane } from '../../query/lane/open-lanes.ts';
import { askEffect } from '../../state/judge-panel.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction } from '../../transition/reaction.ts';
import { revokeAgain } from '../../transition/revoke.ts';
import { isAtNode } from '../../transition/walk.ts';
import { abandonFlight } from '../call/late-answer.ts';
import { repeatProbe } from '../call/probe.ts';
import { recoverCall } from '../call/step-failed.ts';
import { beginPlan } from '../plan/activate.ts';
import { advance } from '../plan/advance.ts';
import { draftAgain } from '../plan/draft-arguments.ts';
import { plannerAttempt, requestPlan } from '../plan/replan.ts';
import { readIntentEffect } from './ask-user.ts';
import { composeEffect, judgeEffect, resumeAnswer } from './compose-answer.ts';
import { entriesOf } from './memory.ts';

/** Continues the run after a pause, without repeating or skipping anything. */
export function resumeWork(env: KernelEnv, state: RunState): Reaction {
  if (state.ending.resendOnResume !== undefined) {
    const { resendOnResume: _, ...ending } = state.ending;
    return resendInFlight(env, { ...state, ending });
  }
  if (state.ending.inFlight !== null) return [state, NO_EFFECTS];
  const { answer, response } = state.ending;
  if (answer !== undefined && response === null) return resumeAnswer(env, state, answer);
  if (isAtNode(env, state, 'plan')) return requestPlan(env, state, state.planning.reason);
  const isApproving = isAtNode(env, state, 'plan_validation') || isAtNode(env, state, 'human_approval');
  return isApproving ? beginPlan(env, state) : advance(env, state);
}

export function resendInFlight(env: KernelEnv, state: RunState): Reaction {
  const flight = state.ending.inFlight;
  if (state.lanes !== undefined && findOpenLanes(state).length > 0) return [state, reopenLanes(state)];
  if (flight === null) return [state, NO_EFFECTS];
  if (flight === 'revocation') return [state, [revokeAgain(state)]];
  if (state.ending.stops.length > 0) return [abandonFlight(env, state), NO_EFFECTS];
  if (flight === 'plan') return [state, [plannerAttempt(state)]];
  if (flight === 'draft') return [state, [draftAgain(state)]];
  const { answer } = state.ending;
  if (flight === 'answer' && answer !== undefined) return [state, [composeEffect(answer)]];
  if (flight === 'verdicts' && answer !== undefined) return [state, [judgeEffect(answer)]];
  if (flight === 'reading') return [state, [readIntentEffect(state)]];
  if (flight === 'memory') return [state, [{ kind: 'write_memory', entries: entriesOf(state) }]];
  if (flight === 'compression') return [state, [{ kind: 'compress_context' }]];
  if (flight === 'reflection') return [state, reflectAgain(state)];
  if (flight === 'judges' && state.panel !== null) return [state, [askEffect(state.panel)]];
  if (flight === 'probe') return [state, [repeatProbe(env, state)]];
  return recoverCall(env, state);
}

/** Spawns or ends each open lane again. A lane is found by the call that opened it, or opened if it never was. */
function reopenLanes(state: RunState): readonly Effect[] {
  const isEnding = state.ending.stops.length > 0;
  return findOpenLanes(state).map((lane) => (isEnding ? endLane(lane, 'parent_ended') : spawnLane(lane)));
}

function reflectAgain(state: RunState): readonly Effect[] {
  const reason = state.planning.reason;
  if (reason === null) throw impossibleEvent('a reflection on nothing', state);
  const trigger = reason.code === 'source_conflict' ? 'conflict' : 'low_confidence';
  return [{ kind: 'reflect', trigger, reason }];
}
