/** Attempts to make a runtime with keys act by a decision that a process without keys recorded. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { PendingGate, RunOutcome } from '../../../src/session/outcome.ts';
import { payment } from '../../runs/forged/payment.ts';
import { posting, TO_ONE } from '../../runs/gates/posting-runs.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from '../../runs/lanes/bench.ts';
import {
  CAPS,
  countingIds,
  neverAnswers,
  operator,
  planOf,
  type Rig,
  type RigOptions,
  rig,
  START_MS,
} from '../../runs/rig.ts';
import type { Attack } from '../battery.ts';
import { enrolPerson, type SharedStore, sharedStore, untilSent, yesTo } from '../forged-record.ts';

const FORGER = new URL('../../runs/forged/forger-process.ts', import.meta.url).pathname;
const FORGED = operator('ana', ['finance', 'operator']);
const reason = 'seen';

const gateIn = ({ pending: [gate] }: RunOutcome): PendingGate => {
  if (gate === undefined) throw new Error('no gate is open');
  return gate;
};

const isUnproven = (event: string) => ({ code: 'decision_unproven', message: new RegExp(`^${event} by ana`) });

/** The runtime with keys refuses to continue the run, sends nothing, and reports the decision. */
async function assertHeld(store: SharedStore, event: string, { runId, bench = store.keyed() }: Forged): Promise<void> {
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
async function atGate(
  usual?: RigOptions,
): Promise<{ readonly store: SharedStore; readonly runId: string; readonly gate: PendingGate }> {
  const store = await sharedStore(usual);
  const waiting = await store.keyed().invoke();
  return { store, runId: waiting.runId, gate: gateIn(waiting) };
}

/** A yes by a process that is killed with the intent on disk. */
async function killedForger(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-forged-'));
  try {
    const path = join(folder, 'run.db');
    const keys = memoryKeys();
    await enrolPerson(keys, 'ana');
    const keyed = (): Rig =>
      rig(payment({ world: { journal: sqliteJournal({ path, hash: sha256 }), policy: { approvers: { keys } } } }));
    const before = keyed();
    const { runId } = await before.invoke();
    await before.runtime.close();
    const forger = spawnSync(process.execPath, [FORGER, path], { encoding: 'utf8' });
    deepEqual([forger.signal, forger.stderr], ['SIGKILL', '']);
    const bench = keyed();
    await rejects(bench.settle(bench.runtime.resume(runId)), isUnproven('gate_decided'));
    equal(bench.dispatches.length, 0);
    const [incident] = await bench.runtime.records.audit(runId);
    deepEqual([incident?.tool, incident?.missing], ['pay', ['GATE_FINANCE']]);
    await bench.runtime.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function forgedYes(): Promise<{ readonly store: SharedStore; readonly runId: string }> {
  const { store, runId, gate } = await atGate();
  const forger = store.forger();
  const { gateId, packetHash } = gate;
  await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  return { store, runId };
}

/** A server tells of the run and sends nothing. */
async function servedYes(): Promise<void> {
  const { store } = await forgedYes();
  const bench = store.keyed();
  const stop = new AbortController();
  const codes: unknown[] = [];
  const failed = (_: string, error: unknown): void => {
    codes.push((error as { readonly code: string }).code);
    stop.abort();
  };
  await bench.settle(bench.runtime.serve({ signal: stop.signal, failed }));
  deepEqual([codes, bench.dispatches], [['decision_unproven'], []]);
}

/** An operator with a key ends the run, and the call of the forger is not repeated. */
async function terminatedYes(): Promise<void> {
  const { store, runId } = await forgedYes();
  const bench = store.keyed();
  const credential = store.ana.sign((key_id, signed_at) =>
    signingText.runDecision({ run_id: runId, decision: 'run_cancelled', said: { reason }, key_id, signed_at }),
  );
  const ended = await bench.settle(bench.runtime.sessions.terminate(runId, { reason, credential }));
  deepEqual([ended.terminalCode, bench.dispatches], ['USER_CANCEL', []]);
}

/** One of two approvals is forged: two more people have to approve. */
async function forgedQuorum(): Promise<void> {
  const usual = payment({ world: { policy: { gates: { GATE_FINANCE: { quorum: 2 } } } } });
  const { store, gate } = await atGate(usual);
  const { gateId, packetHash } = gate;
  const bob = await enrolPerson(store.keys, 'bob');
  await store.forger().runtime.approve(gateId, { packetHash, credential: operator('carl'), reason });
  const bench = store.keyed();
  const approve = (credential = bob.sign(yesTo(gate))): Promise<RunOutcome> =>
    bench.settle(bench.runtime.approve(gateId, { packetHash, credential, reason }));
  equal((await approve()).status, 'awaiting_gate');
  equal(bench.dispatches.length, 0);
  equal((await approve(store.ana.sign(yesTo(gate)))).terminalCode, 'SUCCESS');
}

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
  void sessions.pause('run_1', { credential: FORGED, reason });
  void sessions.resume('run_1', FORGED);
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

const lateIds = (): ReturnType<typeof countingIds> => {
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_late`) };
};

const HELD_GRANT = {
  kind: 'standing',
  ...TO_ONE,
  approver: 'ana',
  granted_at: START_MS,
  proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: ['finance'] },
} as const;

const POSTING = posting('team_a', 1);

async function forgedGrant(): Promise<void> {
  const store = await sharedStore(POSTING);
  await store.journal.giveGrant(HELD_GRANT);
  const bench = store.keyed();
  const waiting = await bench.invoke();
  deepEqual([gateIn(waiting).name, bench.dispatches], [GATE_MODE_APPROVAL, []]);
}

/** Ana's own signature under terms that she did not sign. */
async function widenedGrant(): Promise<void> {
  const store = await sharedStore(POSTING);
  const { keyId, signedAt, signature } = store.ana.sign((key_id, signed_at) =>
    signingText.grant({ ...TO_ONE, arguments: { to: { one_of: ['team_b'] }, text: { any: true } }, key_id, signed_at }),
  );
  const signed = { key_id: keyId, signed_at: signedAt, signature };
  const proof = { credential: 'signing_key', tenant_id: 'tenant_a', roles: ['finance'], ...signed } as const;
  await store.journal.giveGrant({ ...HELD_GRANT, proof });
  const bench = store.keyed();
  equal(gateIn(await bench.invoke()).name, GATE_MODE_APPROVAL);
}

async function forgedGrantInFlight(): Promise<void> {
  const store = await sharedStore(POSTING);
  await store.journal.giveGrant(HELD_GRANT);
  const forger = store.forger();
  await untilSent(forger, forger.invoke());
  await assertHeld(store, 'step_cleared', { runId: 'run_1' });
}

/** A kill switch whose lift nobody signed still stops the call. */
async function forgedLift(
  scope: { readonly tool?: string; readonly tenant?: string },
  credential: 'none' | 'signed',
): Promise<void> {
  const { store, gate } = await atGate();
  const { journal, ana } = store;
  const switch_id = 'switch_1';
  await journal.throwSwitch({ switch_id, scope, thrown: { by: 'ops', reason: 'stop', at: START_MS }, lifted: null });
  const { keyId, signedAt, signature } = ana.sign((key_id, signed_at) =>
    signingText.lift({ switch_id, reason, key_id, signed_at }),
  );
  const signed = { credential: 'signing_key', key_id: keyId, signed_at: signedAt, signature } as const;
  const proof = credential === 'signed' ? signed : ({ credential: 'local_operator' } as const);
  const lifted = { by: 'ana', reason, at: START_MS, proof: { tenant_id: 'tenant_a', roles: ['finance'], ...proof } };
  await journal.liftSwitch(switch_id, lifted);
  const bench = store.keyed();
  const answer = { packetHash: gate.packetHash, credential: ana.sign(yesTo(gate)), reason };
  const done = await bench.settle(bench.runtime.approve(gate.gateId, answer));
  deepEqual([done.terminalCode, bench.dispatches], ['PERMISSION_DENIED', []]);
  match(JSON.stringify(await bench.events(done.runId)), /kill_switch_on/);
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

/** A yes for a lane in its parent does not let the lane pay, although the record of the lane holds no decision. */
async function forgedLane(): Promise<void> {
  const journal = memoryJournal({ hash: sha256 });
  const keys = memoryKeys();
  await enrolPerson(keys, 'ana');
  const boss = (execute: typeof neverAnswers) => {
    const pay = { approval_mode: 'local_write', side_effect: true, produces: ['done'], execute } as const;
    const worker = benchAgent({ name: 'payer', tools: { pay }, plans: [planOf([{ id: 'p', tool: 'pay' }])] });
    const lane = benchLane('delegate', worker, {
      approvalMode: 'delegated',
      budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
    });
    const plan = planOf([{ id: 's1', tool: 'delegate', requires: lane.spec.gates }]);
    return benchAgent({
      name: 'boss',
      tools: { fin: { produces: ['done'] } },
      lanes: [lane],
      caps: { ...CAPS, lanes_max: 3 },
      plans: [plan],
    });
  };
  const bench = laneRig([boss(() => ({ ok: true }))], { journal, world: { policy: { approvers: { keys } } } });
  const waiting = await bench.invoke();
  const forger = laneRig([boss(neverAnswers)], { journal });
  const { gateId, packetHash } = gateIn(waiting);
  const sent = dispatched.length;
  void forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }).catch(() => undefined);
  while (dispatched.length === sent) await new Promise<void>((go) => setImmediate(go));
  const [lane = ''] = await bench.lanes(waiting.runId);
  for (const runId of [lane, waiting.runId]) {
    const later = laneRig([boss(() => ({ ok: true }))], { journal, world: { policy: { approvers: { keys } } } });
    await rejects(later.settle(later.runtime.resume(runId)), isUnproven('gate_decided'));
  }
  equal(dispatched.length, sent + 1);
}

/** A bundle with a yes that nobody signed says so, with keys of its own or without. */
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

export const forgedApproval: Attack = {
  name: 'a forged approval pays',
  run: async ({ attempt }) => {
    await attempt('by a process that is killed with the intent on disk', killedForger);
    await attempt('resumed in another process', async () => {
      const { store, runId } = await forgedYes();
      await assertHeld(store, 'gate_decided', { runId });
    });
    await attempt('driven by a server', servedYes);
    await attempt('after an operator ends the run', terminatedYes);
    await attempt('as one of two approvals', forgedQuorum);
    await attempt('at the gate of a lane', forgedLane);
  },
};

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

export const forgedRows: Attack = {
  name: 'a forged row permits a call',
  run: async ({ attempt }) => {
    await attempt('a standing grant', forgedGrant);
    await attempt('a standing grant with wider terms than signed', widenedGrant);
    await attempt('a standing grant in a call under way', forgedGrantInFlight);
    await attempt('a lifted kill switch', () => forgedLift({ tool: 'pay' }, 'none'));
    await attempt('a lifted switch of a tenant', () => forgedLift({ tenant: 'tenant_a' }, 'none'));
    await attempt('a switch over every tenant, lifted by a person without the role', () =>
      forgedLift({ tool: 'pay' }, 'signed'),
    );
  },
};
