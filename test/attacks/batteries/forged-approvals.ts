/** Attempts to pay by an approval that a process without keys recorded. */

import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { payment } from '../../runs/forged/payment.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from '../../runs/lanes/bench.ts';
import { CAPS, neverAnswers, operator, planOf } from '../../runs/rig.ts';
import type { Attack } from '../battery.ts';
import {
  assertHeld,
  atGate,
  enrolPerson,
  FORGED,
  forgeInProcess,
  gateIn,
  isUnproven,
  reason,
  type SharedStore,
  untilSent,
  yesTo,
} from '../forged-record.ts';

/** A yes by a process that is killed with the intent on disk. */
async function killedForger(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-forged-'));
  try {
    const { runId, keyed } = await forgeInProcess(join(folder, 'run.db'));
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

/** The record holds the intent, and of what led to it only these events. */
async function intentAfter(...kept: readonly RunEvent['type'][]): Promise<void> {
  const { store, runId, gate } = await atGate();
  const decided: readonly RunEvent['type'][] = ['gate_decided', 'step_cleared'];
  const forger = store.forger(undefined, (event) =>
    decided.includes(event.type) && !kept.includes(event.type) ? null : event,
  );
  const { gateId, packetHash } = gate;
  await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  const bench = store.keyed();
  await rejects(bench.settle(bench.runtime.resume(runId)), Fault.is);
  deepEqual(bench.dispatches, []);
}

/** A server tells of the run and sends nothing. */
async function servedYes(): Promise<void> {
  const { store } = await forgedYes();
  const stop = new AbortController();
  const execute = (): { readonly ok: true } => {
    stop.abort();
    return { ok: true };
  };
  const bench = store.keyed(payment({ execute }));
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

/** A yes for a lane in its parent does not let the lane pay, although the record of the lane holds no decision. */
async function forgedLane(): Promise<void> {
  const journal = memoryJournal({ hash: sha256 });
  const keys = memoryKeys();
  const ana = await enrolPerson(keys, 'ana');
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
  const keyed = () => laneRig([boss(() => ({ ok: true }))], { journal, world: { policy: { approvers: { keys } } } });
  const bench = keyed();
  const waiting = await bench.invoke();
  const forger = laneRig([boss(neverAnswers)], { journal });
  const { gateId, packetHash } = gateIn(waiting);
  const sent = dispatched.length;
  void forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }).catch(() => undefined);
  while (dispatched.length === sent) await new Promise<void>((go) => setImmediate(go));
  const [lane = ''] = await bench.lanes(waiting.runId);
  for (const runId of [lane, waiting.runId]) {
    const later = keyed();
    await rejects(later.settle(later.runtime.resume(runId)), isUnproven('gate_decided'));
  }
  // An operator ends both with one decision.
  const later = keyed();
  const credential = ana.sign((key_id, signed_at) =>
    signingText.runDecision({ run_id: waiting.runId, decision: 'run_cancelled', said: { reason }, key_id, signed_at }),
  );
  await later.settle(later.runtime.sessions.terminate(waiting.runId, { reason, credential }));
  for (const runId of [lane, waiting.runId])
    equal((await later.runtime.sessions.get(runId)).terminalCode, 'USER_CANCEL');
  equal(dispatched.length, sent + 1);
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
    await attempt('as an intent without a decision', () => intentAfter());
    await attempt('as an intent with a clearance and no decision', () => intentAfter('step_cleared'));
    await attempt('after an operator ends the run', terminatedYes);
    await attempt('as one of two approvals', forgedQuorum);
    await attempt('at the gate of a lane', forgedLane);
  },
};
