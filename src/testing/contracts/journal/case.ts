import assert from 'node:assert/strict';
import { Fault, type FaultCode } from '../../../model/fault.ts';
import type { Address, Hash } from '../../../model/hash.ts';
import type { FaultPoints } from '../../../ports/fault-points.ts';
import type { Journal } from '../../../ports/journal.ts';

/** A change of stored bytes behind the journal's back. */
export type Tampering =
  | {
      readonly kind: 'alter_frame';
      readonly session: string;
      readonly seq: number;
      readonly events: string;
      /** Of the altered frame, for a forger who knows how to make it; absent leaves the old one. */
      readonly hash?: Address;
    }
  | { readonly kind: 'remove_frame'; readonly session: string; readonly seq: number }
  /** The frame and the one after it change places. */
  | { readonly kind: 'swap_frames'; readonly session: string; readonly seq: number }
  | { readonly kind: 'alter_blob'; readonly address: Address; readonly text: string };

/** One empty store, and the ways a test can reach it. */
export interface JournalStore {
  readonly hash: Hash;
  /** Opens the same store; more than one journal may be open on it, as from several processes. */
  open(faults?: FaultPoints): Promise<Journal>;
  tamper(change: Tampering): Promise<void>;
}

/** One promise of the port. Asserts with `node:assert`, so that any test runner can run it. */
export interface JournalCase {
  readonly name: string;
  readonly run: (store: JournalStore) => Promise<void>;
}

/** Awaits a refusal and hands it out for a closer look. */
export async function refused(promise: Promise<unknown>, code: FaultCode): Promise<Fault> {
  const outcome = await promise.then(
    () => 'done' as const,
    (error: unknown) => error,
  );
  assert(Fault.is(outcome), `expected the fault ${code}, got: ${String(outcome)}`);
  assert.equal(outcome.code, code, outcome.message);
  return outcome;
}
