import { address } from '../model/hash.ts';
import type { KernelEnv } from './env.ts';
import { evidenceHash, evidenceSnapshot } from './evidence-snapshot.ts';
import type { Grant, OpenGate } from './people-state.ts';
import { realTools } from './real-tools.ts';
import type { RunState } from './state.ts';

/**
 * The gates among `names` for which nobody has approved exactly this call, under exactly this plan, on exactly this
 * evidence, lately enough. A grant that an intent has used covers that intent's key and no other.
 */
export function missingGates(
  env: KernelEnv,
  state: RunState,
  names: readonly string[],
  key: string,
): readonly string[] {
  if (names.length === 0 || state.people.grants.length === 0) return names;
  const fitting = fittingGrants(env, state, key);
  return names.filter((name) => !fitting.some((grant) => grant.gate === name));
}

/** What a grant given now would be bound to. */
export function boundTo(env: KernelEnv, state: RunState): OpenGate['shown'] {
  const { current, planning } = state;
  const evidence = current === null ? [] : evidenceSnapshot(env, state, realTools(env, current));
  return {
    argsHash: current?.argsHash ?? '',
    planHash: planning.active?.hash ?? '',
    evidenceHash: evidenceHash(env, evidence),
    previewHash: previewHash(env, state),
  };
}

const previewHash = (env: KernelEnv, { current }: RunState): string =>
  current?.preview === undefined ? '' : address(env.hash, current.preview);

/** Whoever has said yes to a change has seen what would change. Where that is something else by now, they are asked again. */
function fittingGrants(env: KernelEnv, state: RunState, key: string): readonly Grant[] {
  const inForce = grantsInForce(env, state);
  if (inForce.length === 0) return inForce;
  const shown = previewHash(env, state);
  return inForce.filter(({ usedBy, previewHash: agreed }) => agreed === shown && (usedBy === null || usedBy === key));
}

/**
 * What people have said yes to about the call at hand as it is now, whether or not an intent has used it, and before
 * anybody has looked what the call would change by now.
 */
export function grantsInForce(env: KernelEnv, state: RunState): readonly Grant[] {
  const { current, people } = state;
  // A call that is put off is sent later, and a yes has to hold until then.
  const sentAt = Math.max(state.now, current?.notBefore ?? 0);
  const named = people.grants.filter(
    (grant) => grant.kind === 'action' && grant.stepId === current?.stepId && sentAt < grant.expiresAt,
  );
  if (named.length === 0) return named;
  const now = boundTo(env, state);
  return named.filter(
    (grant) =>
      grant.argsHash === now.argsHash && grant.planHash === now.planHash && grant.evidenceHash === now.evidenceHash,
  );
}

/** Until when the call may be sent on what people said yes to; without an end where nobody was asked. */
export function grantedUntil(env: KernelEnv, state: RunState, key: string): number {
  if (state.people.grants.length === 0) return Number.POSITIVE_INFINITY;
  return fittingGrants(env, state, key).reduce((until, { expiresAt }) => Math.min(until, expiresAt), Infinity);
}

/** The intent is written: every grant that let it pass is used up by this key. */
export function useGrants(env: KernelEnv, state: RunState, key: string): RunState {
  if (state.people.grants.length === 0) return state;
  const fitting = new Set(fittingGrants(env, state, key));
  if (fitting.size === 0) return state;
  const grants = state.people.grants.map((grant) =>
    fitting.has(grant) && grant.usedBy === null ? { ...grant, usedBy: key } : grant,
  );
  return { ...state, people: { ...state.people, grants } };
}
