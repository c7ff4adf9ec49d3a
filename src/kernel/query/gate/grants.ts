import { address } from '../../../model/json/hash.ts';
import type { KernelEnv } from '../../env.ts';
import type { Grant, OpenGate } from '../../state/people-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { evidenceHash, evidenceSnapshot } from '../evidence/snapshot.ts';
import { realTools } from '../plan/tools.ts';

/**
 * The gates among `names` without a valid grant for exactly this call, plan and evidence. A grant that an intent has
 * used covers the key of that intent only.
 */
export function missingGates(
  env: KernelEnv,
  state: RunState,
  names: readonly string[],
  key: string,
): readonly string[] {
  if (names.length === 0 || state.people.grants.length === 0) return names;
  const matching = matchingGrants(env, state, key);
  return names.filter((name) => !matching.some((grant) => grant.gate === name));
}

/** The hashes that a grant given now would be bound to. */
export function grantBinding(env: KernelEnv, state: RunState): OpenGate['shown'] {
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

/**
 * The grants in force that also match the preview of the call. A changed preview needs a new approval, since the
 * approver saw another change.
 */
function matchingGrants(env: KernelEnv, state: RunState, key: string): readonly Grant[] {
  const inForce = grantsInForce(env, state);
  if (inForce.length === 0) return inForce;
  const shown = previewHash(env, state);
  return inForce.filter(
    ({ usedBy, previewHash: approvedPreview }) => approvedPreview === shown && (usedBy === null || usedBy === key),
  );
}

/** The unexpired grants for the current call as it is now, used or unused. The preview is not compared. */
export function grantsInForce(env: KernelEnv, state: RunState): readonly Grant[] {
  const { current, people } = state;
  // A postponed call is sent later, and the grant must still hold then.
  const sentAt = Math.max(state.now, current?.notBefore ?? 0);
  const candidates = people.grants.filter(
    (grant) => grant.kind === 'action' && grant.stepId === current?.stepId && sentAt < grant.expiresAt,
  );
  if (candidates.length === 0) return candidates;
  const now = grantBinding(env, state);
  return candidates.filter(
    (grant) =>
      grant.argsHash === now.argsHash && grant.planHash === now.planHash && grant.evidenceHash === now.evidenceHash,
  );
}

/** The instant until which the grants allow the call to be sent; infinite if there are none. */
export function grantedUntil(env: KernelEnv, state: RunState, key: string): number {
  if (state.people.grants.length === 0) return Number.POSITIVE_INFINITY;
  return matchingGrants(env, state, key).reduce((until, { expiresAt }) => Math.min(until, expiresAt), Infinity);
}

/** Marks every grant that covers the intent as used by its key. */
export function useGrants(env: KernelEnv, state: RunState, key: string): RunState {
  if (state.people.grants.length === 0) return state;
  const matching = new Set(matchingGrants(env, state, key));
  if (matching.size === 0) return state;
  const grants = state.people.grants.map((grant) =>
    matching.has(grant) && grant.usedBy === null ? { ...grant, usedBy: key } : grant,
  );
  return { ...state, people: { ...state.people, grants } };
}
