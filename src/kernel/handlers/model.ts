import { permissionCreepViolation, violation } from '../../model/events/effect-kinds.ts';
import { MemoryNomination } from '../../model/evidence/memory.ts';
import type { Json } from '../../model/json/json.ts';
import { isHeld } from '../../model/run/session-status.ts';
import type { KernelEnv } from '../env.ts';
import { endViolatingLane, targetsOtherRun } from '../flow/lane/apply-lane-context.ts';
import { handleQuestionRequest } from '../flow/people/ask-user.ts';
import { handleRecommendation } from '../flow/people/escalate.ts';
import { isCommitted } from '../query/evidence/committed.ts';
import { admitProposal, questionFromPayload, ruleOnRequest } from '../query/gate/model-request.ts';
import { hasReadUntrusted } from '../query/provenance/inputs.ts';
import { hasRule } from '../state/rules.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts } from '../transition/reaction.ts';

/**
 * Handles a proposal of a model other than a plan. A proposal outside the boundary's rights is noted as a violation and
 * ignored. Only questions and escalation recommendations have an effect.
 */
export const onProposalMade: Reacts<'proposal_made'> = (env, state, event) => {
  if (targetsOtherRun(state, event.kind, event.payload)) return endViolatingLane(state, event.kind);
  if (event.kind === MEMORY_WRITE) return nominate(state, event.payload);
  const admitted = admitProposal(event.kind, state.manifest?.autonomy_boundary.decision_rights);
  if (!admitted.ok) return [state, [permissionCreepViolation('proposal', event.kind, admitted.message)]];
  if (admitted.kind === 'clarification_request') return keepQuestion(env, state, event.payload);
  if (admitted.kind === 'escalation_recommendation') {
    // A held run already waits for people, and an effect in flight finishes first.
    if (isHeld(state.session.status)) return [state, NO_EFFECTS];
    const recommended: RunState = { ...state, people: { ...state.people, recommended: true } };
    return (
      (state.ending.inFlight === null ? handleRecommendation(env, recommended) : null) ?? [recommended, NO_EFFECTS]
    );
  }
  const isUnfounded = admitted.kind === 'observation_summary' && !isFounded(state, event.payload);
  return [
    state,
    isUnfounded ? [violation('state_write', event.kind, 'it cites nothing that was committed')] : NO_EFFECTS,
  ];
};

/** Whether a summary cites observations, all of them committed. */
function isFounded(state: RunState, payload: Json): boolean {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'observations')) return false;
  const { observations } = payload as { readonly observations: Json };
  if (!Array.isArray(observations) || observations.length === 0) return false;
  return observations.every((id) => typeof id === 'string' && isCommitted(state, id));
}

/** Keeps the question until nothing is in flight and the run is not held. Ignored while another question is open. */
function keepQuestion(env: KernelEnv, state: RunState, payload: Json): Reaction {
  if (state.people.question !== null) return [state, NO_EFFECTS];
  const pending: RunState = { ...state, people: { ...state.people, wanted: questionFromPayload(payload) } };
  const canAsk = state.ending.inFlight === null && !isHeld(state.session.status);
  return (canAsk ? handleQuestionRequest(env, pending) : null) ?? [pending, NO_EFFECTS];
}

/** Handles a model's request to move. It never moves the run; a request for an edge that it may not choose is noted. */
export const onTransitionRequested: Reacts<'transition_requested'> = (env, state, event) => {
  const { node } = state.position;
  const ruling = ruleOnRequest(env.graph, { from: node, to: event.to }, state);
  return [
    state,
    ruling === 'granted' ? NO_EFFECTS : [permissionCreepViolation('transition', `${node} -> ${event.to}`, ruling)],
  ];
};

export const onViolationNoted: Reacts<'violation_noted'> = (_env, state) => [
  { ...state, counters: { ...state.counters, violations: state.counters.violations + 1 } },
  NO_EFFECTS,
];

/** The name that a model uses for a memory write. It is not a kind of proposal. */
const MEMORY_WRITE = 'memory_write';

const NOMINATIONS_MAX = 20;

/**
 * Refuses a memory write of a model and notes it. With sources, the entry becomes a nomination that is ruled on after
 * the answer. Without sources it is discarded.
 */
function nominate(state: RunState, payload: Json): Reaction {
  if (state.manifest?.autonomy_boundary.state_writes.persistent_memory === 'refused') {
    return [state, [violation('state_write', MEMORY_WRITE, 'the boundary lets nothing be remembered')]];
  }
  const { data } = MemoryNomination.safeParse(payload);
  if (data === undefined) {
    return [state, [violation('state_write', MEMORY_WRITE, 'quarantined: it names no source, or is no memory')]];
  }
  const nominated = state.work.nominated ?? [];
  if (nominated.length >= NOMINATIONS_MAX) {
    return [state, [violation('state_write', MEMORY_WRITE, `a run nominates at most ${NOMINATIONS_MAX} memories`)]];
  }
  const isUntrusted = hasRule(state, 'memory_trust') && hasReadUntrusted(state);
  const nomination = isUntrusted ? { ...data, untrusted: true as const } : data;
  const kept: RunState = { ...state, work: { ...state.work, nominated: [...nominated, nomination] } };
  return [kept, [violation('state_write', MEMORY_WRITE, 'a model writes no memory: it was taken as a nomination')]];
}
