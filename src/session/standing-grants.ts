import {
  type Derived,
  decidersOf,
  earliestDispatch,
  grantCovers,
  type KernelEnv,
  type RunState,
} from '../kernel/index.ts';
import type { EffectOf } from '../model/events/effect.ts';
import { GATE_MODE_APPROVAL } from '../model/gate/gate.ts';
import { grantRefusal, type StandingGrant } from '../model/gate/grant.ts';
import { grantDecision } from '../model/gate/recorded-decision.ts';
import { type StandingGrants, type StandingRow, whyExhausted } from '../ports/journal/standing-grants.ts';
import type { ProofCheck, Proofs } from '../ports/proofs.ts';

/**
 * The standing grants as this process knows them. Authorization reads this cache synchronously; the store checks the
 * grant when the intent is written, and the cache is refreshed if the grant is gone.
 */
export interface StandingView {
  /** The first grant with uses left that `covers` accepts. */
  find(covers: (grant: StandingGrant) => boolean, microusd: number, now: number): StandingGrant | null;
  refresh(): Promise<void>;
}

export type IsRevoked = (keyId: string) => Promise<boolean>;

export function standingView(
  store: Pick<StandingGrants, 'standingGrants'>,
  isRevoked: IsRevoked,
  proofs: Proofs | undefined,
): StandingView {
  let rows: readonly StandingRow[] = [];
  return {
    find: (covers, microusd, now) => {
      const left = rows.find((row) => {
        const use = { grant_id: row.grant.grant_id, session_id: '', step_id: '', used_at: now, microusd };
        return whyExhausted(row, use) === null && covers(row.grant);
      });
      return left?.grant ?? null;
    },
    refresh: async () => {
      const proven = await provenRows(await store.standingGrants(), proofs);
      const signed = await Promise.all(proven.map(({ grant }) => isStillSigned(grant, isRevoked)));
      rows = proven.filter((_, place) => signed[place]);
    },
  };
}

/** Returns whether the key behind a grant is still valid. Revoking a key revokes its grants. */
async function isStillSigned({ proof }: StandingGrant, isRevoked: IsRevoked): Promise<boolean> {
  return proof.key_id === undefined || !(await isRevoked(proof.key_id));
}

/** The grants that a person signed. A row that was written by hand permits nothing. */
async function provenRows(rows: readonly StandingRow[], proofs: Proofs | undefined): Promise<readonly StandingRow[]> {
  if (proofs === undefined || rows.length === 0) return rows;
  const checks = new Map<string, ProofCheck | null>();
  for (const tenant of new Set(rows.map(({ grant }) => grant.tenant_id))) {
    checks.set(tenant, await proofs.checkFor(tenant));
  }
  return rows.filter(({ grant }) => (checks.get(grant.tenant_id)?.(grantDecision(grant)) ?? null) === null);
}

/**
 * Replaces the approval-mode gate of a call by a standing grant that covers exactly this call, if there is one. A
 * simulation sends nothing, so it uses up no grant.
 */
export function withStanding(
  view: StandingView,
  env: KernelEnv,
  state: RunState,
  effect: EffectOf<'clear_step'>,
  cleared: Derived,
): Derived {
  const { event } = cleared;
  if (event.type !== 'step_cleared' || !event.gates.includes(GATE_MODE_APPROVAL)) return cleared;
  if (state.fork?.simulate === true) return cleared;
  const spec = env.tools.get(effect.tool);
  if (spec === undefined || state.current === null) return cleared;
  const { args, origin } = effect;
  const sentAt = Math.max(state.now, earliestDispatch(state, state.current, event));
  const call = { spec, args, mode: event.mode, origin, sentAt };
  const fits = (grant: StandingGrant): boolean =>
    grantRefusal(decidersOf(env, GATE_MODE_APPROVAL), grant.proof.roles) === null &&
    grantCovers(env, state, grant, call);
  const standing = view.find(fits, spec.cost.microusd, sentAt);
  if (standing === null) return cleared;
  const gates = event.gates.filter((gate) => gate !== GATE_MODE_APPROVAL);
  return { ...cleared, event: { ...event, gates, standing } };
}
