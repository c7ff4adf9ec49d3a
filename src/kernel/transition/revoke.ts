import type { EffectOf } from '../../model/events/effect.ts';
import { confirmedBy } from '../query/rollback/made-effects.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { land, NO_EFFECTS, type Reaction, type Reacts } from './reaction.ts';

/** The time that an ending run waits for the credential store. */
const REVOKE_WITHIN_MS = 30_000;

/**
 * Requests the revocation of the run's credentials before it ends, once, if a compromise is confirmed. Null if none is
 * confirmed or the revocation was already requested.
 */
export function revokeIfConfirmed(state: RunState): Reaction | null {
  const { stops, revocation } = state.ending;
  if (revocation !== undefined) return null;
  const by = stops.map(confirmedBy).find((confirmer) => confirmer !== null);
  if (by == null) return null;
  const closeBy = state.now + REVOKE_WITHIN_MS;
  const ending = {
    ...state.ending,
    inFlight: 'revocation',
    closeBy,
    revocation: { confirmedBy: by, outcome: null },
  } as const;
  const revoking: RunState = { ...state, ending };
  return [revoking, [revokeEffect(revoking, by)]];
}

function revokeEffect({ id, intake }: RunState, confirmed_by: string): EffectOf<'revoke_credentials'> {
  const tools = intake.token?.allowed_tools ?? [];
  return { kind: 'revoke_credentials', revocation_id: `rev_${id.runId}`, tools, confirmed_by };
}

/** The same effect with the same id, for a process that resumes the run and does not know whether it was performed. */
export function revokeAgain(state: RunState): EffectOf<'revoke_credentials'> {
  return revokeEffect(state, state.ending.revocation?.confirmedBy ?? 'nobody');
}

export const onCredentialsRevoked: Reacts<'credentials_revoked'> = (_env, state, event) => {
  const landed = land(state, 'revocation');
  const { revocation } = landed.ending;
  if (revocation === undefined || event.revocation_id !== `rev_${state.id.runId}`) {
    throw impossibleEvent('a revocation nobody asked for', state);
  }
  const ending = { ...landed.ending, revocation: { ...revocation, outcome: event.outcome } };
  return [{ ...landed, ending }, NO_EFFECTS];
};
