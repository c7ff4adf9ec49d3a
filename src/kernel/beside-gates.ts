import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { KernelEnv } from './env.ts';
import { forgoMemory, writeMemory } from './memory/on-memory.ts';
import type { OpenGate } from './people-state.ts';
import { NOTHING, type Reaction } from './reaction.ts';
import { openScopes } from './scope-gate.ts';
import type { RunState } from './state.ts';
import { unsuspend } from './suspend.ts';

/** Gates that are neither before a call nor before a plan: what the run may read, and what of it is remembered. */
export function asksBeside({ intake, ending }: RunState, kind: OpenGate['kind']): boolean {
  if (kind === 'scope') return intake.confirming !== undefined;
  return kind === 'memory' && ending.memory?.entries != null;
}

/**
 * What a decision about one of them leads to; null for every other gate, and for a no that ends the run. Not to be
 * remembered is no reason to throw an answer away.
 */
export function decideBeside(
  env: KernelEnv,
  state: RunState,
  { gate, counted }: { readonly gate: OpenGate; readonly counted: OpenGate },
  event: EventOf<'gate_decided'>,
): Reaction | null {
  if (gate.kind !== 'scope' && gate.kind !== 'memory') return null;
  if (event.decision === 'edit' || event.decision === 'request_info') {
    throw new Fault('event_illegal', `gate ${gate.name} is approved or rejected, nothing else`, { path: '/decision' });
  }
  if (event.decision === 'reject') return gate.kind === 'memory' ? forgoMemory(env, unsuspend(state)) : null;
  const approvers = [...counted.approvers, { name: event.approver, keyId: event.proof?.key_id ?? null }];
  if (approvers.length < gate.deciders.quorum) {
    const gates = state.people.gates.map((open) => (open === gate ? { ...gate, approvers } : open));
    return [{ ...state, people: { ...state.people, gates } }, NOTHING];
  }
  const people = { ...state.people, gates: [], undecided: 0, decision: 'continue' as const };
  const granted = unsuspend({ ...state, people });
  return gate.kind === 'memory' ? writeMemory(granted) : openScopes(granted);
}
