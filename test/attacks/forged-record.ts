/** Runtimes with and without keys on one store, and ways to put a decision into its record without a key. */
import { deepEqual, ok, rejects } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { memoryKeys } from '../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../src/adapters/node/ed25519.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { sealFrame } from '../../src/model/events/frame.ts';
import type { SigningKey } from '../../src/model/gate/signing-key.ts';
import { type DecisionStatement, signingText } from '../../src/model/gate/signing-text.ts';
import type { Blob } from '../../src/model/json/blob.ts';
import type { ApproverOptions, OperatorCredential, SigningCredential } from '../../src/ports/approvers.ts';
import type { Ids } from '../../src/ports/clock.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { KeyStore } from '../../src/ports/keys.ts';
import type { PendingGate, RunOutcome } from '../../src/session/outcome.ts';
import { payment } from '../runs/forged/payment.ts';
import { countingIds, neverAnswers, operator, type Rig, type RigOptions, rig, START_MS } from '../runs/rig.ts';

/** A person with a key, who signs any text. */
export interface KeyHolder {
  readonly keyId: string;
  sign(text: (keyId: string, signedAt: number) => string, at?: number): SigningCredential;
}

export async function enrolPerson(
  keys: KeyStore,
  approver: string,
  changes: Partial<SigningKey> = {},
): Promise<KeyHolder> {
  const pair = newKeyPair();
  const key_id = `key_${approver}_${(await keys.list()).length}`;
  const key: SigningKey = {
    key_id,
    approver,
    tenant_id: 'tenant_a',
    roles: ['finance'],
    public_key: pair.publicKey,
    enrolled_at: START_MS,
    enrolled_by: 'security_desk',
    expires_at: null,
    revoked: null,
    ...changes,
  };
  await keys.add(key);
  return {
    keyId: key.key_id,
    sign: (text, at = START_MS) => ({
      kind: 'signing_key',
      keyId: key.key_id,
      signedAt: at,
      signature: signText(pair.privateKey, text(key.key_id, at)),
    }),
  };
}

const FORGER = new URL('../runs/forged/forger-process.ts', import.meta.url).pathname;

/** A run in a file whose gate a process without a key has approved, before it was killed with the intent stored. */
export async function forgeInProcess(path: string): Promise<{ readonly runId: string; readonly keyed: () => Rig }> {
  const keys = memoryKeys();
  await enrolPerson(keys, 'ana');
  const keyed = (): Rig =>
    rig(payment({ world: { journal: sqliteJournal({ path, hash: sha256 }), policy: { approvers: { keys } } } }));
  const before = keyed();
  const { runId } = await before.invoke();
  await before.runtime.close();
  const forger = spawnSync(process.execPath, [FORGER, path], { encoding: 'utf8' });
  deepEqual([forger.signal, forger.stderr], ['SIGKILL', '']);
  return { runId, keyed };
}

/** Returns the event to store instead of this one, or null to leave it out. */
export type ChangeEvent = (event: RunEvent) => object | null;

/** A store that processes with and without keys share. */
export interface SharedStore {
  readonly journal: Journal;
  readonly keys: KeyStore;
  readonly ana: KeyHolder;
  /** A process with the keys. */
  keyed(options?: RigOptions, approvers?: ApproverOptions): Rig;
  /** A process without keys. Its calls never answer, so it is as good as dead once it has sent one. */
  forger(options?: RigOptions, change?: ChangeEvent): Rig;
}

export async function sharedStore(usual: RigOptions = payment()): Promise<SharedStore> {
  const journal = memoryJournal({ hash: sha256 });
  const keys = memoryKeys();
  const ana = await enrolPerson(keys, 'ana');
  return {
    journal,
    keys,
    ana,
    keyed: (options = usual, approvers = { keys }) =>
      rig({ ...options, world: { ...options.world, journal, policy: { ...options.world?.policy, approvers } } }),
    forger: (options = usual, change = (event) => event) => {
      const tools = Object.entries(options.tools ?? {}).map(([name, tool]) => [
        name,
        { ...tool, execute: neverAnswers },
      ]);
      const world = { ...options.world, journal: rewriting(journal, change) };
      return rig({ ...options, tools: Object.fromEntries(tools), world });
    },
  };
}

/** A journal that changes the events of an append before it stores them, with a valid hash and fitting rows, and `shown`. */
export function rewriting(journal: Journal, change: ChangeEvent, shown?: Blob): Journal {
  return {
    ...journal,
    append: (append) => {
      const changed = (JSON.parse(append.frame.events) as RunEvent[]).map(change).filter((event) => event !== null);
      const events = JSON.stringify(changed);
      const frame = sealFrame({ ...append.frame, events }, sha256);
      const opened = (changed as RunEvent[]).filter((event) => event.type === 'gate_opened');
      const gates = append.projections.gates.map((row) => {
        const { packet_hash, expires_at } = opened.find(({ gate_id }) => gate_id === row.gate_id) ?? row;
        return { ...row, packet_hash, expires_at };
      });
      const { wake_at: due, ...row } = append.projections.session;
      const woken = append.projections.gates.findIndex(({ expires_at }) => expires_at === due);
      const session = { ...row, wake_at: gates[woken]?.expires_at ?? due, head_hash: frame.hash };
      const blobs = shown === undefined || opened.length === 0 ? append.blobs : [...append.blobs, shown];
      return journal.append({ ...append, frame, blobs, projections: { ...append.projections, session, gates } });
    },
  };
}

/** Starts work that never settles, because its call never answers, and waits until the call is sent. */
export async function untilSent({ dispatches }: Rig, work: Promise<unknown>): Promise<void> {
  const before = dispatches.length;
  let failure: unknown;
  work.catch((error: unknown) => {
    failure = error;
  });
  while (dispatches.length === before && failure === undefined) await new Promise<void>((go) => setImmediate(go));
  if (failure !== undefined) throw failure;
}

/** The statement that approves a gate. */
export const yesTo = (
  { gateId, packetHash }: { readonly gateId: string; readonly packetHash: string },
  changes: Partial<DecisionStatement> = {},
): ((key_id: string, signed_at: number) => string) => {
  const about = { gate_id: gateId, packet_hash: packetHash, decision: 'approve', reason: 'seen' } as const;
  return (key_id, signed_at) => signingText.decision({ ...about, parameters: null, ...changes, key_id, signed_at });
};

/** The name of a person with a key, given by a process without one. */
export const FORGED: OperatorCredential = operator('ana', ['finance', 'operator']);
export const reason = 'seen';

export const gateIn = ({ pending: [gate] }: RunOutcome): PendingGate => {
  if (gate === undefined) throw new Error('no gate is open');
  return gate;
};

/** What an unproven decision of ana is refused with. */
export const isUnproven = (event: string): { readonly code: string; readonly message: RegExp } => ({
  code: 'decision_unproven',
  message: new RegExp(`^${event} by ana`),
});

/** The runtime with keys refuses to continue the run, sends nothing, and reports the decision. */
export async function assertHeld(
  store: SharedStore,
  event: string,
  { runId, bench = store.keyed() }: Forged,
): Promise<void> {
  await rejects(bench.settle(bench.runtime.resume(runId)), isUnproven(event));
  deepEqual(bench.dispatches, []);
  const { proofs } = await bench.runtime.records.verify(runId);
  ok(proofs !== 'not checked' && proofs.unproven.some((found) => found.event === event && found.cause === 'unsigned'));
}

interface Forged {
  readonly runId: string;
  /** The process with keys; by default one with the usual options. */
  readonly bench?: Rig;
}

/** A payment that waits at its gate, in a store that a forger can write. */
export async function atGate(
  usual?: RigOptions,
): Promise<{ readonly store: SharedStore; readonly runId: string; readonly gate: PendingGate }> {
  const store = await sharedStore(usual);
  const waiting = await store.keyed().invoke();
  return { store, runId: waiting.runId, gate: gateIn(waiting) };
}

/** Ids that the other processes of a test do not use. */
export const lateIds = (): Ids => {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_late`) };
};
