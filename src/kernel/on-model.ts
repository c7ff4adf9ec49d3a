import type { Json } from '../model/json.ts';
import { heedQuestion } from './ask-user.ts';
import { admitProposal } from './boundary.ts';
import { isCommitted } from './committed.ts';
import type { KernelEnv } from './env.ts';
import { heedRecommendation } from './escalate-run.ts';
import { ruleOnRequest } from './graph/model-request.ts';
import { invariantBroken, reachesAbove } from './lanes/in-lane.ts';
import { MEMORY_WRITE, nominate } from './memory/nominate.ts';
import { questionFrom } from './model-question.ts';
import { NOTHING, type Reaction, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';
import { isHeld } from './suspend.ts';
import { privilegeSought, violation } from './violation.ts';

/**
 * Something a model said besides a plan. Whatever is outside the rights its boundary leaves it is noted and changes
 * nothing; of the rest only a question and a recommendation to hand over have consequences of their own.
 */
export const onProposalMade: Reacts<'proposal_made'> = (env, state, event) => {
  if (reachesAbove(state, event.kind, event.payload)) return invariantBroken(state, event.kind);
  if (event.kind === MEMORY_WRITE) return nominate(state, event.payload);
  const admitted = admitProposal(event.kind, state.manifest?.autonomy_boundary.decision_rights);
  if (!admitted.ok) return [state, [privilegeSought('proposal', event.kind, admitted.message)]];
  if (admitted.kind === 'clarification_request') return wantToKnow(env, state, event.payload);
  if (admitted.kind === 'escalation_recommendation') {
    // Whoever waits for people has handed over already, and what is in flight lands first.
    if (isHeld(state.session.status)) return [state, NOTHING];
    const recommended: RunState = { ...state, people: { ...state.people, recommended: true } };
    return (state.ending.inFlight === null ? heedRecommendation(env, recommended) : null) ?? [recommended, NOTHING];
  }
  const unfounded = admitted.kind === 'observation_summary' && !isFounded(state, event.payload);
  return [state, unfounded ? [violation('state_write', event.kind, 'it cites nothing that was committed')] : NOTHING];
};

/** What is said about the state rests on observations, all of them verified and committed. */
function isFounded(state: RunState, payload: Json): boolean {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'observations')) return false;
  const { observations } = payload as { readonly observations: Json };
  if (!Array.isArray(observations) || observations.length === 0) return false;
  return observations.every((id) => typeof id === 'string' && isCommitted(state, id));
}

/** What is in flight lands first, and whoever waits for people waits on. While the user is asked one question is enough. */
function wantToKnow(env: KernelEnv, state: RunState, payload: Json): Reaction {
  if (state.people.question !== null) return [state, NOTHING];
  const wanting: RunState = { ...state, people: { ...state.people, wanted: questionFrom(payload) } };
  const free = state.ending.inFlight === null && !isHeld(state.session.status);
  return (free ? heedQuestion(env, wanting) : null) ?? [wanting, NOTHING];
}

/** A model may name where it would like to go. It never moves the run there; an edge it may not choose is noted. */
export const onTransitionRequested: Reacts<'transition_requested'> = (env, state, event) => {
  const { node } = state.position;
  const ruling = ruleOnRequest(env.graph, { from: node, to: event.to }, state);
  return [state, ruling === 'granted' ? NOTHING : [privilegeSought('transition', `${node} -> ${event.to}`, ruling)]];
};

export const onViolationNoted: Reacts<'violation_noted'> = (_env, state) => [
  { ...state, counters: { ...state.counters, violations: state.counters.violations + 1 } },
  NOTHING,
];
