/** Tests that a decision in the store permits nothing without the proof that the enrolled keys require. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import {
  enrolPerson,
  forgeInProcess,
  gateIn,
  type SharedStore,
  sharedStore,
  untilSent,
  yesTo,
} from '../../attacks/forged-record.ts';
import { operator, planOf, rig, START_MS } from '../rig.ts';
import { payment } from './payment.ts';

test('an approval that a process without a key recorded does not pay', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-forged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'run.db');
  const { runId, keyed } = await forgeInProcess(path);

  const bench = keyed();
  const resumed = bench.settle(bench.runtime.resume(runId));
  await expect(resumed).rejects.toMatchObject({
    code: 'decision_unproven',
    message: expect.stringMatching(
      /gate_decided by ana at .* in run_1 is unproven: it is not signed; .*sessions terminate run_1/,
    ),
  });
  expect(bench.dispatches).toEqual([]);
  const unproven = [{ run_id: runId, event: 'gate_decided', by: 'ana', cause: 'unsigned' }];
  expect(await bench.runtime.records.verify()).toMatchObject({ damaged: [], proofs: { checked: 1, unproven } });
  expect(await bench.runtime.records.replay(runId)).toMatchObject({ proofs: { unproven } });
  expect(await bench.runtime.records.audit(runId)).toMatchObject([{ tool: 'pay', missing: ['GATE_FINANCE'] }]);
  await bench.runtime.close();

  // The kernel does not look at proofs: a replay without keys derives the same, and says that it had no keys.
  const unkeyed = rig(payment({ world: { journal: sqliteJournal({ path, hash: sha256 }) } }));
  expect(await unkeyed.runtime.records.replay(runId)).toMatchObject({ proofs: 'not checked' });
  await unkeyed.runtime.close();
});

describe('a decision from before the first key', () => {
  const later = { enrolled_at: START_MS + 1_000 };

  test('is shown as unproven, and its call is not sent', async () => {
    const store = await sharedStore();
    const { runId, gateId, packetHash } = await waitingAt(store);
    const first = store.forger();
    const yes = { packetHash, credential: operator('ana', ['finance']), reason: 'seen' };
    await untilSent(first, first.runtime.approve(gateId, yes));
    const keys = memoryKeys();
    await enrolPerson(keys, 'ana', later);
    const bench = store.keyed(undefined, { keys });
    bench.clock.advanceTo(START_MS + 2_000);
    await expect(bench.settle(bench.runtime.resume(runId))).rejects.toMatchObject({
      code: 'decision_unproven',
      message: expect.stringContaining('recorded before the first key was enrolled'),
    });
    expect(bench.dispatches).toEqual([]);
    expect((await bench.runtime.records.verify()).proofs).toMatchObject({
      checked: 1,
      unproven: [{ by: 'ana', cause: 'before_keys' }],
    });
    // The person was identified as it was usual then, so the call is no incident.
    expect(await bench.runtime.records.audit(runId)).toEqual([]);
  });

  test('keeps the call that it has permitted, and the run continues at the next gate', async () => {
    const step = { tool: 'pay', requires: ['GATE_FINANCE'] } as const;
    const twice = {
      ...payment(),
      plans: [
        planOf([
          { ...step, id: 'a', params: { amount: 5 } },
          { ...step, id: 'b', params: { amount: 6 }, depends_on: ['a'] },
        ]),
      ],
    };
    const store = await sharedStore(twice);
    const first = rig({ ...twice, world: { journal: store.journal } });
    const waiting = await first.invoke();
    const { gateId, packetHash } = gateIn(waiting);
    const yes = { packetHash, credential: operator('ana'), reason: 'seen' };
    const second = gateIn(await first.settle(first.runtime.approve(gateId, yes)));
    const keys = memoryKeys();
    const ana = await enrolPerson(keys, 'ana', later);
    const bench = store.keyed(undefined, { keys });
    bench.clock.advanceTo(START_MS + 2_000);
    const signed = {
      packetHash: second.packetHash,
      credential: ana.sign(yesTo(second), START_MS + 2_000),
      reason: 'seen',
    };
    const done = await bench.settle(bench.runtime.approve(second.gateId, signed));
    expect([done.terminalCode, bench.dispatches.map(({ args }) => args)]).toEqual(['SUCCESS', [{ amount: 6 }]]);
    expect((await bench.runtime.records.replay(waiting.runId)).proofs).toMatchObject({
      checked: 2,
      unproven: [{ cause: 'before_keys' }],
    });
  });
});

test('a tenant without keys decides by the authenticator of the host, and its proofs are not checked', async () => {
  const store = await sharedStore();
  const { runId, gateId, packetHash } = await waitingAt(store);
  const first = store.forger();
  const yes = { packetHash, credential: operator('ana', ['finance']), reason: 'seen' };
  await untilSent(first, first.runtime.approve(gateId, yes));
  const keys = memoryKeys();
  await enrolPerson(keys, 'eve', { tenant_id: 'tenant_b' });
  const identify = async (): Promise<null> => null;
  const bench = store.keyed(undefined, { keys, authenticator: { identify } });
  bench.clock.advanceTo(START_MS + 60_000);
  expect((await bench.settle(bench.runtime.resume(runId))).terminalCode).toBe('SUCCESS');
  expect((await bench.runtime.records.verify(runId)).proofs).toBe('not checked');
});

test('signed decisions of every kind at a gate stay proven in another process', async () => {
  const store = await sharedStore();
  const { runId, gateId, packetHash } = await waitingAt(store);
  const { ana } = store;
  const bench = store.keyed();
  const note = 'be careful';
  const steered = ana.sign((key_id, signed_at) =>
    signingText.runDecision({ run_id: runId, decision: 'run_steered', said: { note }, key_id, signed_at }),
  );
  await bench.runtime.sessions.steer(runId, { note, credential: steered });
  const bob = await enrolPerson(store.keys, 'bob');
  const asked = bob.sign(yesTo({ gateId, packetHash }, { decision: 'request_info', asks: 'carl' }));
  await bench.runtime.gates.requestInfo(gateId, { packetHash, credential: asked, reason: 'seen', asks: 'carl' });
  const carl = await enrolPerson(store.keys, 'carl');
  const about = { gate_id: gateId, packet_hash: packetHash, text: 'it is fine', evidence: [] };
  const informed = carl.sign((key_id, signed_at) => signingText.info({ ...about, key_id, signed_at }));
  const reopened = gateIn(
    await bench.runtime.gates.provideInfo(gateId, { packetHash, credential: informed, text: 'it is fine' }),
  );
  const parameters = { amount: 4 };
  const credential = bob.sign(yesTo(reopened, { decision: 'edit', parameters }));
  const edit = { packetHash: reopened.packetHash, credential, reason: 'seen', parameters };
  const edited = gateIn(await bench.runtime.gates.edit(reopened.gateId, edit));

  const next = store.keyed();
  const yes = { packetHash: edited.packetHash, credential: ana.sign(yesTo(edited)), reason: 'seen' };
  const done = await next.settle(next.runtime.approve(edited.gateId, yes));
  expect([done.terminalCode, next.dispatches.map(({ args }) => args)]).toEqual(['SUCCESS', [parameters]]);
  expect((await next.runtime.records.replay(runId)).proofs).toEqual({ checked: 5, unproven: [], altered: [] });
});

async function waitingAt(store: SharedStore): Promise<PendingGate & { readonly runId: string }> {
  const waiting = await store.keyed().invoke();
  return { ...gateIn(waiting), runId: waiting.runId };
}
