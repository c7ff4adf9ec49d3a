/** Store files in which a writer without a key changed what surrounds a genuine decision. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryKeys } from '../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { Fault } from '../../src/index.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import type { DecisionProof } from '../../src/model/gate/gate.ts';
import { signingText } from '../../src/model/gate/signing-text.ts';
import { type Blob, toBlob } from '../../src/model/json/blob.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { PolicyJudge } from '../../src/model/policy/policy-decision.ts';
import type { KeyStore } from '../../src/ports/keys.ts';
import type { PendingGate, RunOutcome } from '../../src/session/outcome.ts';
import { storeTools } from '../../src/store.ts';
import { payment } from '../runs/forged/payment.ts';
import { neverAnswers, planOf, type Rig, type RigOptions, rig, START_MS } from '../runs/rig.ts';
import {
  type ChangeEvent,
  enrolPerson,
  FORGED,
  gateIn,
  type KeyHolder,
  lateIds,
  reason,
  rewriting,
  untilSent,
  yesTo,
} from './forged-record.ts';

/** The reaction of a process with keys to an altered run. */
export interface Refused {
  readonly code: string;
  /** The calls that it sent. */
  readonly sent: number;
  /** How the run ends when an operator ends it. */
  readonly ended: string | null;
  readonly message: string;
}

interface StoreFile {
  readonly path: string;
  readonly keys: KeyStore;
  readonly ana: KeyHolder;
}

/** Runs an attack on a new store file. */
export async function inStoreFile<T>(work: (file: StoreFile) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-altered-'));
  const keys = memoryKeys();
  try {
    return await work({ path: join(folder, 'run.db'), keys, ana: await enrolPerson(keys, 'ana') });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const paying = (amount: number, options: RigOptions = payment()): RigOptions => ({
  ...options,
  plans: [planOf([{ id: 's1', tool: 'pay', requires: ['GATE_FINANCE'], params: { amount } }])],
});

/** A process with the keys. */
const keyedAt = ({ path, keys }: StoreFile, options: RigOptions = payment()): Rig =>
  rig({
    ...options,
    world: {
      ...options.world,
      journal: sqliteJournal({ path, hash: sha256 }),
      policy: { ...options.world?.policy, approvers: { keys } },
    },
  });

/** A process without keys, whose store holds other events than its run leads to. Its calls never answer. */
function forgerAt({ path }: StoreFile, options: RigOptions, change: ChangeEvent, shown?: Blob): Rig {
  const tools = Object.entries(options.tools ?? {}).map(([name, tool]) => [name, { ...tool, execute: neverAnswers }]);
  const journal = rewriting(sqliteJournal({ path, hash: sha256 }), change, shown);
  return rig({ ...options, tools: Object.fromEntries(tools), world: { ...options.world, journal } });
}

function proofBy({ sign }: KeyHolder, gate: PendingGate, roles: readonly string[]): DecisionProof {
  const { keyId: key_id, signedAt: signed_at, signature } = sign(yesTo(gate));
  return { credential: 'signing_key', tenant_id: 'tenant_a', roles, key_id, signed_at, signature };
}

/** Resumes the run with keys, or does `act`, and then ends it. The store check finds nothing before. */
async function refused(
  file: StoreFile,
  runId: string,
  options: RigOptions = payment(),
  act: (bench: Rig) => Promise<RunOutcome> = ({ runtime }) => runtime.resume(runId),
): Promise<Refused> {
  const found = storeTools.check(file.path).problems;
  if (found.length > 0) throw new Error(`the forger left traces: ${JSON.stringify(found)}`);
  const bench = keyedAt(file, { ...options, plans: [] });
  bench.clock.advanceTo(START_MS + 120_000);
  try {
    const { code, message } = await faultOf(() => bench.settle(act(bench)));
    const sent = bench.dispatches.length;
    const credential = file.ana.sign(
      (key_id, signed_at) =>
        signingText.runDecision({ run_id: runId, decision: 'run_cancelled', said: { reason }, key_id, signed_at }),
      START_MS + 120_000,
    );
    const ended = await bench.settle(bench.runtime.sessions.terminate(runId, { reason, credential }));
    return { code, message, sent, ended: ended.terminalCode };
  } finally {
    await bench.runtime.close();
  }
}

async function faultOf(work: () => Promise<RunOutcome>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    return { code: (await work()).terminalCode ?? 'waits', message: '' };
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return error;
  }
}

/** A run that a person with a key approves, and that is killed with the intent stored. */
async function decided(
  file: StoreFile,
  person: readonly [name: string, key: KeyHolder, roles: readonly string[]],
  options: RigOptions,
  change: ChangeEvent = (event) => event,
): Promise<string> {
  const [approver, key, roles] = person;
  let proof: DecisionProof | undefined;
  const forger = forgerAt(file, options, (event) =>
    event.type === 'gate_decided' ? { ...event, approver, proof } : change(event),
  );
  const waiting = await forger.invoke();
  const gate = gateIn(waiting);
  proof = proofBy(key, gate, roles);
  const yes = { packetHash: gate.packetHash, credential: FORGED, reason };
  await untilSent(forger, forger.runtime.approve(gate.gateId, yes));
  await forger.runtime.close();
  return waiting.runId;
}

const withGate = (gate: object): RigOptions => payment({ world: { policy: { gates: { GATE_FINANCE: gate } } } });

/** Ana approved and paid 5 in another file. Her decision and her packet are put around a payment of 500. */
async function movedYes(file: StoreFile): Promise<Refused> {
  const { proof, shown } = await inStoreFile(async (real) => {
    const honest = keyedAt({ ...real, keys: file.keys });
    const gate = gateIn(await honest.invoke());
    const { packetHash, gateId } = gate;
    await honest.settle(honest.runtime.approve(gateId, { packetHash, credential: file.ana.sign(yesTo(gate)), reason }));
    const packet = toBlob(await honest.journal.blob(packetHash as Blob['address']), sha256);
    await honest.runtime.close();
    return { proof: proofBy(file.ana, gate, ['finance']), shown: packet };
  });
  const change: ChangeEvent = (event) => {
    if (event.type === 'gate_opened') return { ...event, packet_hash: shown.address };
    return event.type === 'gate_decided' ? { ...event, proof } : event;
  };
  const first = forgerAt(file, paying(500), change, shown);
  const { runId, ...waiting } = await first.invoke();
  await first.runtime.close();
  const forger = forgerAt(file, { ...paying(500), plans: [] }, change, shown);
  const yes = { packetHash: shown.address, credential: FORGED, reason };
  await untilSent(forger, forger.runtime.approve(gateIn({ runId, ...waiting }).gateId, yes));
  await forger.runtime.close();
  return await refused(file, runId);
}

/** The gate of a payment of 500 shows a packet with 5, and ana approves what she sees. */
async function otherPacket(file: StoreFile): Promise<Refused> {
  const real = rig(paying(500));
  const { packetHash } = gateIn(await real.invoke());
  const packet = JSON.parse(await real.journal.blob(packetHash as Blob['address'])) as JsonObject;
  const shown = toBlob(canonicalize({ ...packet, parameters: { amount: 5 } }), sha256);
  const change: ChangeEvent = (event) =>
    event.type === 'gate_opened' ? { ...event, packet_hash: shown.address } : event;
  const forger = forgerAt(file, paying(500), change, shown);
  const { runId } = await forger.invoke();
  await forger.runtime.close();
  return await refused(file, runId, payment(), async ({ runtime }) => {
    const seen = gateIn(await runtime.sessions.get(runId));
    const credential = file.ana.sign(yesTo(seen), START_MS + 120_000);
    return await runtime.approve(seen.gateId, { packetHash: seen.packetHash, credential, reason });
  });
}

async function withoutRole(file: StoreFile, change: ChangeEvent, recorded: RigOptions): Promise<Refused> {
  const eve = await enrolPerson(file.keys, 'eve', { roles: [] });
  return await refused(file, await decided(file, ['eve', eve, []], recorded, change), withGate({ roles: ['finance'] }));
}

const FINANCE = withGate({ roles: ['finance'] });

function withoutDeciders(event: RunEvent): object {
  if (event.type !== 'gate_opened') return event;
  const { deciders: _, ...rest } = event;
  return rest;
}

/** The gate was open for a minute. Its expiry is moved by hours, and ana approves two minutes later. */
async function longerGate(file: StoreFile): Promise<Refused> {
  const usual = withGate({ ttlMs: 60_000 });
  const forger = forgerAt(file, usual, (event) =>
    event.type === 'gate_opened' ? { ...event, expires_at: event.expires_at + 36_000_000 } : event,
  );
  const { runId, ...waiting } = await forger.invoke();
  await forger.runtime.close();
  const gate = gateIn({ runId, ...waiting });
  return await refused(file, runId, usual, async ({ runtime }) => {
    const credential = file.ana.sign(yesTo(gate), START_MS + 120_000);
    return await runtime.approve(gate.gateId, { packetHash: gate.packetHash, credential, reason });
  });
}

const POSTING: RigOptions = {
  tools: {
    post: {
      approval_mode: 'local_write',
      side_effect: true,
      produces: ['done'],
      idempotency: { kind: 'key', retention_ms: 3_600_000 },
    },
  },
  plans: [planOf([{ id: 's1', tool: 'post', params: { x: 1 } }])],
};

/** A run without a decision, killed with its intent stored. */
async function sentUnder(file: StoreFile, recorded: RigOptions, here: RigOptions): Promise<Refused> {
  const forger = forgerAt(file, recorded, (event) => event);
  await untilSent(forger, forger.invoke());
  await forger.runtime.close();
  return await refused(file, 'run_1', here);
}

function deciding(effect: 'permit' | 'forbid'): RigOptions {
  const decision = { effect, determining: ['x'], reasons: [], gates: [], errors: [] } as const;
  const calls: PolicyJudge = { version: 'strict@1', decide: () => decision };
  return { ...POSTING, world: { policy: { calls } } };
}

const APPROVED: RigOptions = {
  ...POSTING,
  agent: (agent) => ({
    ...agent,
    boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, needs_approval: ['post'] } },
  }),
};

/** A simulated fork of a run whose yes was forged would send the read that follows it. */
async function simulatedFork(file: StoreFile): Promise<Refused> {
  const usual: RigOptions = {
    tools: { ...payment().tools, look: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 's1', tool: 'pay', requires: ['GATE_FINANCE'], params: { amount: 5 } },
        { id: 'l', tool: 'look', depends_on: ['s1'] },
      ]),
    ],
  };
  const first = keyedAt(file, usual);
  const waiting = await first.invoke();
  await first.runtime.close();
  const { gateId, packetHash } = gateIn(waiting);
  const forger = rig({ ...usual, plans: [], world: { journal: sqliteJournal({ path: file.path, hash: sha256 }) } });
  await forger.settle(forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  await forger.runtime.close();
  const bench = keyedAt(file, { ...usual, plans: [], world: { ids: lateIds() } });
  try {
    const { state_checkpoints } = await bench.runtime.records.trace(waiting.runId);
    const at = state_checkpoints.find(({ judged }) => judged === 'step')?.checkpoint_id ?? '';
    const { code, message } = await faultOf(() => bench.settle(bench.runtime.records.fork(waiting.runId, { at })));
    return { code, message, sent: bench.dispatches.length, ended: null };
  } finally {
    await bench.runtime.close();
  }
}

/** Every attack by name, and the fault that holds it. */
export const ALTERED: readonly (readonly [
  name: string,
  code: string,
  attack: (file: StoreFile) => Promise<Refused>,
])[] = [
  ['a yes is moved to other arguments', 'run_altered', movedYes],
  ['a gate shows another packet', 'run_altered', otherPacket],
  ['a gate admits everybody', 'run_altered', (file) => withoutRole(file, withoutDeciders, FINANCE)],
  ['the rules of a run admit everybody', 'version_changed', (file) => withoutRole(file, (event) => event, payment())],
  [
    'the rules of a run need one approval instead of two',
    'version_changed',
    async (file) =>
      await refused(file, await decided(file, ['ana', file.ana, ['finance']], payment()), withGate({ quorum: 2 })),
  ],
  ['an expired gate is kept open', 'run_altered', longerGate],
  ['the boundary of a run needs no approval', 'version_changed', (file) => sentUnder(file, POSTING, APPROVED)],
  [
    'a policy permitted the call on record',
    'run_altered',
    (file) => sentUnder(file, deciding('permit'), deciding('forbid')),
  ],
  ['a simulated fork reads after a forged yes', 'decision_unproven', simulatedFork],
];
