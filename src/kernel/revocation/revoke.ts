import type { EffectOf } from '../../model/effect.ts';
import { land } from '../flight.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { confirmedBy } from './compromise.ts';

/** How long a run that must end waits for whoever keeps the secrets. */
const REVOKE_WITHIN_MS = 30_000;

/**
 * Has the credentials of a run revoked before it ends, if it is confirmed that they are in the wrong hands. Once: whoever
 * was asked is not asked again by this run. Null where nothing is confirmed, or all is done.
 */
export function revokeIfConfirmed(state: RunState): Reaction | null {
  const { stops, revocation } = state.ending;
  if (revocation !== undefined) return null;
  const by = stops.map(confirmedBy).find((word) => word !== null);
  if (by == null) return null;
  const closeBy = state.now + REVOKE_WITHIN_MS;
  const ending = {
    ...state.ending,
    inFlight: 'revocation',
    closeBy,
    revocation: { confirmedBy: by, outcome: null },
  } as const;
  const asked: RunState = { ...state, ending };
  return [asked, [revokeEffect(asked, by)]];
}

function revokeEffect({ id, intake }: RunState, confirmed_by: string): EffectOf<'revoke_credentials'> {
  const tools = intake.token?.allowed_tools ?? [];
  return { kind: 'revoke_credentials', revocation_id: `rev_${id.runId}`, tools, confirmed_by };
}

/** The same once more, under the same id: whoever takes the run over does not know whether it was heard. */
export function revokeAgain(state: RunState): EffectOf<'revoke_credentials'> {
  return revokeEffect(state, state.ending.revocation?.confirmedBy ?? 'nobody');
}

export const onCredentialsRevoked: Reacts<'credentials_revoked'> = (_env, state, event) => {
  const landed = land(state, 'revocation');
  const { revocation } = landed.ending;
  if (revocation === undefined || event.revocation_id !== `rev_${state.id.runId}`) {
    throw impossible('a revocation nobody asked for', state);
  }
  const ending = { ...landed.ending, revocation: { ...revocation, outcome: event.outcome } };
  return [{ ...landed, ending }, NOTHING];
};
