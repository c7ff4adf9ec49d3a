import type { Derived } from '../kernel/derive.ts';
import type { RunState } from '../kernel/state.ts';
import type { EffectOf } from '../model/effect.ts';
import { reasonOf } from '../model/printable.ts';
import type { RevocationOutcome } from '../model/revocation.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialBroker } from '../ports/credentials.ts';
import type { Timer } from '../ports/timer.ts';

/** Whoever keeps the secrets has this long. The run ends either way, and says what came of it. */
const REVOKE_TIMEOUT_MS = 20_000;

export interface Revoking {
  readonly credentials: Pick<CredentialBroker, 'revoke'> | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Has everything revoked that this run may have been given, and turns whatever happens into an event. */
export async function revokeCredentials(
  { credentials, clock, timer }: Revoking,
  state: RunState,
  { revocation_id, tools, confirmed_by }: EffectOf<'revoke_credentials'>,
  recall: AbortSignal,
): Promise<Derived> {
  const said = (outcome: RevocationOutcome, detail: string): Derived => ({
    event: { type: 'credentials_revoked', revocation_id, outcome, detail },
    blobs: [],
  });
  if (credentials?.revoke === undefined) return said('unsupported', 'whoever keeps the credentials cannot revoke them');
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { runId, tenantId } = state.id;
  const actor = state.intake.token?.actor ?? 'nobody';
  const request = { revocationId: revocation_id, runId, tenantId, actor, tools, confirmedBy: confirmed_by };
  const late = timer
    .until(clock.nowMs() + REVOKE_TIMEOUT_MS, signal)
    .then(() => said('failed', 'whoever keeps the credentials did not answer in time'));
  const revoked = asked(() => credentials.revoke?.(request, signal)).then(
    () => said('revoked', `confirmed by ${confirmed_by}`),
    (error: unknown) => said('failed', reasonOf(error)),
  );
  try {
    return await Promise.race([revoked, late]);
  } finally {
    stop.abort();
  }
}

/** A broker is anybody's code, and may throw before it has promised anything. */
async function asked(revoke: () => Promise<void> | undefined): Promise<void> {
  await revoke();
}
