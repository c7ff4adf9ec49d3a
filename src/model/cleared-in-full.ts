import type { RunEvent } from './event.ts';
import { AS_PLANNED, decisionsAbout, type PolicyDecision } from './policy-decision.ts';

/** An event with every decision in it told in full: a clearance no longer refers to the plan it belongs to. */
export type InFull = Exclude<RunEvent, { readonly type: 'step_cleared' }> | ClearedInFull;

export type BodyInFull<T extends InFull['type']> = Omit<Extract<InFull, { readonly type: T }>, 'at'>;

type Cleared = Extract<RunEvent, { readonly type: 'step_cleared' }>;
type ClearedInFull = Omit<Cleared, 'policy'> & { readonly policy?: PolicyDecision };

/** For whoever reads events without the state they lead to; to be given all of a run's events, in order. */
export function clearedInFull(): (event: RunEvent) => InFull {
  let planned: ReadonlyMap<string, PolicyDecision> = new Map();
  return (event) => {
    if (event.type === 'plan_verified') planned = decisionsAbout(event.policy ?? []);
    return event.type === 'step_cleared' ? inFull(event, planned) : event;
  };
}

function inFull(event: Cleared, planned: ReadonlyMap<string, PolicyDecision>): ClearedInFull {
  const { policy: told, ...rest } = event;
  const policy = told === AS_PLANNED ? planned.get(event.step_id) : told;
  return policy === undefined ? rest : { ...rest, policy };
}
