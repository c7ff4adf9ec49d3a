/** Attempts to continue a run by other decisions that a process without keys recorded. */

import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { payment } from '../../runs/forged/payment.ts';
import { CAPS, neverAnswers, operator, planOf, type RigOptions, rig, START_MS } from '../../runs/rig.ts';
import type { Attack } from '../battery.ts';
import {
  assertHeld,
  atGate,
  enrolPerson,
  FORGED,
  gateIn,
  isUnproven,
  lateIds,
  reason,
  type SharedStore,
  sharedStore,
  untilSent,
  yesTo,
} from '../forged-record.ts';

async function forgedEdit(): Promise<void> {
  const { store, runId, gate } = await atGate();
  const { gateId, packetHash } = gate;
  const edited = await store
    .forger()
    .runtime.gates.edit(gateId, { packetHash, credential: FORGED, reason, parameters: { amount: 500 } });
  const open = gateIn(edited);
  const bench = store.keyed();
  const credential = store.ana.sign(yesTo(open));
  const approved = bench.runtime.approve(open.gateId, { packetHash: open.packetHash, credential, reason });
  await rejects(bench.settle(approved), isUnproven('gate_decided'));
  await assertHeld(store, 'gate_decided', { runId });
}

async function forgedInformation(): Promise<void> {
  const { store, runId, gate } = await atGate();
  const { gateId, packetHash } = gate;
  const { gates } = store.forger().runtime;
  await gates.requestInfo(gateId, { packetHash, credential: operator('bob'), reason: 'is this known?', asks: 'ana' });
  await gates.provideInfo(gateId, { packetHash, credential: FORGED, text: 'it is known' });
  const bench = store.keyed();
  await rejects(bench.settle(bench.runtime.resume(runId)), { code: 'decision_unproven' });
  const { proofs } = await bench.runtime.records.verify(runId);
  ok(proofs !== 'not checked' && proofs.unproven.some(({ event, by }) => event === 'info_provided' && by === 'ana'));
}

async function forgedNote(): Promise<void> {
  const { store, runId } = await atGate();
  await store.forger().runtime.sessions.steer(runId, { credential: FORGED, note: 'pay the other account' });
  await assertHeld(store, 'run_steered', { runId });
}

/** A run that has no budget left for its second call. */
const SHORT: RigOptions = {
  tools: { look: {}, fin: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'fin', depends_on: ['a'] },
    ]),
  ],
  caps: { ...CAPS, tool_calls_max: 1 },
};

async function forgedBudget(): Promise<void> {
  const store = await sharedStore(SHORT);
  const { runId, handoverHash } = await store.keyed().invoke();
  const forger = store.forger();
  const extended = { delta: { tool_calls: 5 }, packetHash: handoverHash ?? '', credential: FORGED, reason };
  await untilSent(forger, forger.runtime.sessions.extendBudget(runId, extended));
  await assertHeld(store, 'budget_extended', { runId });
}

/** A payment whose answer was lost, so that a person decides what became of it. */
async function inDoubt(): Promise<{ readonly store: SharedStore; readonly outcome: RunOutcome }> {
  const none = { idempotency: { kind: 'none' }, execute: neverAnswers, timeout_ms: 100, retries_max: 0 } as const;
  const usual = payment({ pay: none });
  const { store, gate } = await atGate(usual);
  const bench = store.keyed();
  const answer = { packetHash: gate.packetHash, credential: store.ana.sign(yesTo(gate)), reason };
  const outcome = await bench.settle(bench.runtime.approve(gate.gateId, answer));
  equal(outcome.suspended?.reason, 'call_in_doubt');
  return { store, outcome };
}

async function forgedContinue(): Promise<void> {
  const { store, outcome } = await inDoubt();
  const { runId, handoverHash } = outcome;
  const forger = store.forger();
  forger.clock.advanceTo(START_MS + 60_000);
  const answer = { decision: 'continue', packetHash: handoverHash ?? '', credential: FORGED, reason } as const;
  await forger.settle(forger.runtime.sessions.decideEscalation(runId, answer));
  await assertHeld(store, 'escalation_decided', { runId });
}

/** A forged result of a call ends the run elsewhere: the record shows it. */
async function forgedResult(): Promise<void> {
  const { store, outcome } = await inDoubt();
  const { runId, handoverHash } = outcome;
  const forger = store.forger();
  forger.clock.advanceTo(START_MS + 60_000);
  const happened = { result: { ok: true } };
  const answer = {
    decision: 'continue',
    packetHash: handoverHash ?? '',
    credential: FORGED,
    reason,
    happened,
  } as const;
  await forger.settle(forger.runtime.sessions.decideEscalation(runId, answer));
  const { proofs } = await store.keyed().runtime.records.replay(runId);
  ok(proofs !== 'not checked');
  deepEqual(
    proofs.unproven.map(({ event, by, cause }) => [event, by, cause]),
    [['escalation_decided', 'ana', 'unsigned']],
  );
}

async function forgedResume(): Promise<void> {
  const store = await sharedStore({
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
  });
  const forger = store.forger();
  await untilSent(forger, forger.invoke());
  const { sessions } = forger.runtime;
  const decided = [sessions.pause('run_1', { credential: FORGED, reason }), sessions.resume('run_1', FORGED)];
  // The decisions never settle, unless the other process drives the run.
  void Promise.allSettled(decided);
  await waitFor(store.journal, 'run_1', 'run_resumed');
  await assertHeld(store, 'run_resumed', { runId: 'run_1' });
}

/** Waits until an event is stored. */
async function waitFor(journal: Journal, runId: string, event: string): Promise<void> {
  const isStored = async (): Promise<boolean> =>
    (await journal.load(runId)).some(({ events }) => events.includes(`"${event}"`));
  while (!(await isStored())) await new Promise<void>((go) => setImmediate(go));
}

async function forgedMigration(): Promise<void> {
  const { store, runId } = await atGate();
  const newer = { ...payment({ pay: { version: '2', description: 'pays at once' } }), plans: [] };
  await store.forger(newer).runtime.sessions.migrate(runId, { credential: FORGED, reason });
  await assertHeld(store, 'run_migrated', { runId, bench: store.keyed(newer) });
}

async function forgedFork(): Promise<void> {
  const { store, runId, gate } = await atGate();
  const bench = store.keyed();
  const answer = { packetHash: gate.packetHash, credential: store.ana.sign(yesTo(gate)), reason };
  await bench.settle(bench.runtime.approve(gate.gateId, answer));
  const { state_checkpoints } = await bench.runtime.records.trace(runId);
  const at = state_checkpoints.find(({ judged }) => judged === 'plan')?.checkpoint_id ?? '';
  const forger = rig({ ...payment(), world: { journal: store.journal, ids: lateIds() } });
  const forked = await forger.settle(
    forger.runtime.records.fork(runId, { at, simulate: false, reason, credential: FORGED }),
  );
  await assertHeld(store, 'run_forked', { runId: forked.runId });
}

/** A guest of the store writes a decision beside a process that drives the run. */
async function forgedGuest(): Promise<void> {
  const disk = memoryDisk();
  const keys = memoryKeys();
  const ana = await enrolPerson(keys, 'ana');
  const journal = (): Journal => memoryJournal({ hash: sha256, disk });
  const bench = rig(payment({ world: { journal: journal(), policy: { approvers: { keys } } } }));
  const waiting = await bench.invoke();
  const gate = gateIn(waiting);
  const forger = rig(payment({ world: { journal: journal(), ids: lateIds() } }));
  await forger.runtime.sessions.steer(waiting.runId, { credential: FORGED, note: 'pay twice' });
  const answer = { packetHash: gate.packetHash, credential: ana.sign(yesTo(gate)), reason };
  await rejects(bench.settle(bench.runtime.approve(gate.gateId, answer)), isUnproven('run_steered'));
  deepEqual(bench.dispatches, []);
}

/** A bundle reports an unsigned yes, with keys of its own or without. */
async function forgedBundle(): Promise<void> {
  const { gate, store, runId } = await atGate();
  const maker = rig({ ...payment(), world: { journal: store.journal } });
  const { gateId, packetHash } = gate;
  await maker.settle(maker.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  const file = await maker.runtime.records.export(runId);
  for (const approvers of [undefined, { keys: memoryKeys() }]) {
    const there = rig(payment(approvers === undefined ? {} : { world: { policy: { approvers } } }));
    const { proofs } = await there.runtime.records.import(file);
    ok(proofs !== 'not checked');
    deepEqual(
      proofs.unproven.map(({ event, cause }) => [event, cause]),
      [['gate_decided', 'unsigned']],
    );
    deepEqual((await there.runtime.records.replay(runId)).proofs, proofs);
  }
}

export const forgedDecisions: Attack = {
  name: 'another forged decision lets a run continue',
  run: async ({ attempt }) => {
    await attempt('edited arguments', forgedEdit);
    await attempt('provided information', forgedInformation);
    await attempt('a note to the planner', forgedNote);
    await attempt('a budget extension', forgedBudget);
    await attempt('an escalation that continues', forgedContinue);
    await attempt('the result of a call in doubt', forgedResult);
    await attempt('a resumed session', forgedResume);
    await attempt('a migration', forgedMigration);
    await attempt('a fork with real effects', forgedFork);
    await attempt('a decision beside a driving process', forgedGuest);
    await attempt('an imported bundle', forgedBundle);
  },
};
