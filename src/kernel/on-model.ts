import { askUser } from './ask-user.ts';
import { admitProposal } from './boundary.ts';
import { escalateRun } from './escalate-run.ts';
import { ruleOnRequest } from './graph/model-request.ts';
import { NOTHING, type Reacts } from './reaction.ts';
import type { RunState } from './state.ts';
import { canWalk } from './walk.ts';

/**
 * Something a model said besides a plan. Whatever is outside its six rights is noted and changes nothing; of the rest
 * only a question and a recommendation to hand over have consequences of their own.
 */
export const onProposalMade: Reacts<'proposal_made'> = (env, state, event) => {
  const admitted = admitProposal(event.kind);
  if (!admitted.ok) return [violated(state), NOTHING];
  if (admitted.kind === 'clarification_request' && canWalk(env, state, 'ask_user')) {
    return askUser(env, state, { code: 'MISSING_INFO', fields: fieldsOf(event.payload), readings: [] });
  }
  if (admitted.kind === 'escalation_recommendation') {
    return escalateRun(env, state, 'workflow_issue', { code: 'REVIEW_REQUIRED', reason: 'recommended_by_model' });
  }
  return [state, NOTHING];
};

function fieldsOf(payload: unknown): readonly string[] {
  if (!Array.isArray(payload)) return ['clarification'];
  return payload.filter((field): field is string => typeof field === 'string');
}

/** A model may name where it would like to go. It never moves the run there; an edge that does not exist is noted. */
export const onTransitionRequested: Reacts<'transition_requested'> = (env, state, event) => {
  const ruling = ruleOnRequest(env.graph, { from: state.position.node, to: event.to }, state);
  return [ruling === 'granted' ? state : violated(state), NOTHING];
};

const violated = (state: RunState): RunState => ({
  ...state,
  counters: { ...state.counters, violations: state.counters.violations + 1 },
});
