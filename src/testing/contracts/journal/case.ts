import assert from 'node:assert/strict';
import { Fault, type FaultCode } from '../../../model/fault/fault.ts';
import type { Address, Hash } from '../../../model/json/hash.ts';
import type { FaultPoints, Journal } from '../../../ports/journal/journal.ts';
import type { EffectRow, GateRow, GrantUse } from '../../../ports/journal/rows.ts';

/** A change of stored bytes that bypasses the journal. */
export type Tampering =
  | {
      readonly kind: 'alter_frame';
      readonly session: string;
      readonly seq: number;
      readonly events: string;
      /** Hash of the altered frame, for a forger who can compute it; if absent, the old hash stays. */
      readonly hash?: Address;
    }
  | { readonly kind: 'remove_frame'; readonly session: string; readonly seq: number }
  /** Swaps the frame with the next one. */
  | { readonly kind: 'swap_frames'; readonly session: string; readonly seq: number }
  | { readonly kind: 'alter_blob'; readonly address: Address; readonly text: string };

/** One empty store, and a test's access to it. */
export interface JournalStore {
  readonly hash: Hash;
  /** Opens the same store. Several journals may be open on it, as from several processes. */
  open(faults?: FaultPoints): Promise<Journal>;
  tamper(change: Tampering): Promise<void>;
}

/** One test of the port. It asserts with `node:assert`, so that any test runner can run it. */
export interface JournalCase {
  readonly name: string;
  readonly run: (store: JournalStore) => Promise<void>;
}

/** A test that works on one open journal of the store. */
export const journalCase = (
  name: string,
  run: (journal: Journal, store: JournalStore) => Promise<void>,
): JournalCase => ({ name, run: async (store) => run(await store.open(), store) });

/** Awaits a fault with this code and returns it. */
export async function refused(promise: Promise<unknown>, code: FaultCode): Promise<Fault> {
  const outcome = await promise.then(
    () => 'done' as const,
    (error: unknown) => error,
  );
  assert(Fault.is(outcome), `expected the fault ${code}, got: ${String(outcome)}`);
  assert.equal(outcome.code, code, outcome.message);
  return outcome;
}

export function sampleGateRow(row: Pick<GateRow, 'gate_id' | 'session_id'> & Partial<GateRow>): GateRow {
  return {
    tenant_id: 'tenant_a',
    name: 'GATE_FINANCE_APPROVAL',
    kind: 'action',
    action: 'payments.issue_refund',
    status: 'open',
    packet_hash: 'sha256:00',
    opened_at: 1_000,
    expires_at: 9_000,
    ...row,
  };
}

export function effectRow(row: Pick<EffectRow, 'idempotency_key' | 'session_id'> & Partial<EffectRow>): EffectRow {
  return {
    step_id: 's1',
    tool: 'payments.issue_refund',
    args_hash: 'sha256:00',
    state: 'pending',
    result: null,
    ...row,
  };
}

export function grantUse(row: Pick<GrantUse, 'grant_id' | 'session_id'> & Partial<GrantUse>): GrantUse {
  return { step_id: 's1', used_at: 1_000, ...row };
}
