import { AS_PLANNED, type PolicyDecision, resolveDecisions } from '../policy/policy-decision.ts';
import type { RunEvent } from './event.ts';

/** An event whose policy decision is written out: a clearance no longer refers to the decision in its plan. */
export type ResolvedEvent = Exclude<RunEvent, { readonly type: 'step_cleared' }> | ClearedInFull;

export type ResolvedBody<T extends ResolvedEvent['type']> = Omit<Extract<ResolvedEvent, { readonly type: T }>, 'at'>;

type Cleared = Extract<RunEvent, { readonly type: 'step_cleared' }>;
type ClearedInFull = Omit<Cleared, 'policy'> & { readonly policy?: PolicyDecision };

/** Returns a function that resolves `as_planned` without the run state. Call it with every event of a run, in order. */
export function resolveAsPlanned(): (event: RunEvent) => ResolvedEvent {
  let planned: ReadonlyMap<string, PolicyDecision> = new Map();
  return (event) => {
    if (event.type === 'plan_verified') planned = resolveDecisions(event.policy ?? []);
    return event.type === 'step_cleared' ? inFull(event, planned) : event;
  };
}

function inFull(event: Cleared, planned: ReadonlyMap<string, PolicyDecision>): ClearedInFull {
  const { policy: recorded, ...rest } = event;
  const policy = recorded === AS_PLANNED ? planned.get(event.step_id) : recorded;
  return policy === undefined ? rest : { ...rest, policy };
}
