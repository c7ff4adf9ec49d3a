import type { Derived, RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { RevocationOutcome } from '../../model/tool/effect-outcome.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { CredentialBroker } from '../../ports/credentials.ts';
import {
  type IntendedCall,
  isStopping,
  type KillSwitchStore,
  killSwitchOn,
} from '../../ports/journal/kill-switches.ts';

/** The time limit of the credential broker. The run ends in any case and records the result. */
const REVOKE_TIMEOUT_MS = 20_000;

interface Revoking {
  readonly credentials: Pick<CredentialBroker, 'revoke'> | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Revokes every credential that the run may have received, and turns the result into an event. */
export async function revokeCredentials(
  { credentials, clock, timer }: Revoking,
  state: RunState,
  { revocation_id, tools, confirmed_by }: EffectOf<'revoke_credentials'>,
  recall: AbortSignal,
): Promise<Derived> {
  const toEvent = (outcome: RevocationOutcome, detail: string): Derived => ({
    event: { type: 'credentials_revoked', revocation_id, outcome, detail },
    blobs: [],
  });
  if (credentials?.revoke === undefined) return toEvent('unsupported', 'the credential broker cannot revoke them');
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { runId, tenantId } = state.id;
  const actor = state.intake.token?.actor ?? 'nobody';
  const request = { revocationId: revocation_id, runId, tenantId, actor, tools, confirmedBy: confirmed_by };
  const late = timer
    .until(clock.nowMs() + REVOKE_TIMEOUT_MS, signal)
    .then(() => toEvent('failed', 'the credential broker did not answer in time'));
  const revoked = callRevoke(() => credentials.revoke?.(request, signal)).then(
    () => toEvent('revoked', `confirmed by ${confirmed_by}`),
    (error: unknown) => toEvent('failed', reasonOf(error)),
  );
  try {
    return await Promise.race([revoked, late]);
  } finally {
    stop.abort();
  }
}

/** Calls custom broker code, which may throw synchronously. */
async function callRevoke(revoke: () => Promise<void> | undefined): Promise<void> {
  await revoke();
}

/** The message of the kill switch that stops these calls, or null. An unreadable store counts as stopped. */
export async function stoppedBy(
  switches: Pick<KillSwitchStore, 'killSwitches'>,
  who: Omit<IntendedCall, 'tool'>,
  tools: readonly string[],
): Promise<string | null> {
  try {
    const thrown = (await switches.killSwitches()).find((one) =>
      tools.some((tool) => isStopping(one, { ...who, tool })),
    );
    return thrown === undefined ? null : killSwitchOn(thrown).message;
  } catch (error) {
    return `whether it was stopped could not be asked: ${reasonOf(error)}`;
  }
}
