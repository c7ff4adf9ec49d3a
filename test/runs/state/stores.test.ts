/** The seven state stores of a run with their access rules, and the tamper-evident audit record. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { STATE_CATEGORIES, STATE_READERS, STATE_STORES } from '../../../src/model/run/state-store.ts';
import { verifyAuditRecord } from '../../../src/record/audit-record.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { rememberingRig } from '../memory/bench.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const GATED = {
  tools: {
    pay: { approval_mode: 'destructive', gates: ['GATE_PAY'], retries_max: 0, execute: () => ({ paid: { cents: 5 } }) },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'pay', requires: ['GATE_PAY'] },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
} as const;

const answerTo = async (bench: Rig, pending: Awaited<ReturnType<Rig['invoke']>>['pending']) => {
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  return await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
};

const codeOf = async (asked: Promise<unknown>): Promise<string> =>
  await asked.then(
    () => 'done',
    (error: unknown) => (Fault.is(error) ? error.code : String(error)),
  );

verifies(
  'state:categories:seven-with-access-rules',
  'each store is readable only by its declared readers',
  async () => {
    const { bench } = rememberingRig(GATED as never);
    const { runId } = await bench.invoke();
    const read = new Map<string, unknown>();
    for (const category of STATE_CATEGORIES) {
      const { tenure, medium, update_rule, access } = STATE_STORES[category];
      expect([tenure, medium, update_rule].every((text) => text.length > 0)).toBe(true);
      for (const as of STATE_READERS) {
        const expected = access[as].read ? 'done' : 'permission_denied';
        expect([category, as, await codeOf(bench.runtime.sessions.readState(runId, category, as))]).toEqual([
          category,
          as,
          expected,
        ]);
      }
      const reader = STATE_READERS.find((as) => access[as].read) ?? 'system';
      read.set(category, await bench.runtime.sessions.readState(runId, category, reader));
    }
    // Reads share no objects with other stores or earlier reads.
    const objects = new Set<unknown>();
    const collect = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      expect(objects.has(value)).toBe(false);
      objects.add(value);
      return Object.values(value).reduce((sum: number, child) => sum + collect(child), 1);
    };
    for (const value of read.values()) collect(value);
    for (const category of ['observations', 'execution_trace'] as const) {
      collect(await bench.runtime.sessions.readState(runId, category, 'system'));
    }
    expect(objects.size).toBeGreaterThan(10);
  },
);

verifies('state:categories:seven-with-access-rules', 'each store accepts only its declared writes', async () => {
  const { bench } = rememberingRig(GATED as never);
  const { runId } = await bench.invoke();
  const before = await bench.runtime.sessions.readState(runId, 'task_state', 'system');
  for (const category of STATE_CATEGORIES) {
    for (const as of STATE_READERS) {
      const { write } = STATE_STORES[category].access[as];
      const open = write === 'free' || write === 'propose' || write === 'discard';
      const written = await codeOf(
        bench.settle(bench.runtime.sessions.writeState(runId, category, as, 'the moon is cheese')),
      );
      expect([category, as, written]).toEqual([category, as, open ? 'done' : 'state_write_refused']);
    }
  }
  // The ungrounded proposal changed nothing and is recorded as a violation.
  expect(await bench.runtime.sessions.readState(runId, 'task_state', 'system')).toEqual(before);
  expect(eventsOf(await bench.events(runId), 'violation_noted')).toHaveLength(1);
});

test('a note written through `writeState` lasts as long as the step', async () => {
  const { bench } = rememberingRig(GATED as never);
  const { runId, pending } = await bench.invoke();
  await bench.runtime.sessions.writeState(runId, 'scratchpad', 'model', 'look at the second invoice');
  expect(await bench.runtime.sessions.readState(runId, 'scratchpad', 'model')).toMatchObject([
    { text: 'look at the second invoice' },
  ]);
  await answerTo(bench, pending);
  expect(await bench.runtime.sessions.readState(runId, 'scratchpad', 'model')).toEqual([]);
});

const ID = 'state:audit-record:tamper-evident';

verifies(ID, 'holds approvals, policy versions, exceptions and owners, for auditors only', async () => {
  const bench = rig(GATED as never);
  const { runId, pending } = await bench.invoke();
  await bench.settle(
    bench.runtime.sessions.send(runId, { type: 'proposal_made', kind: 'launch_rockets', payload: null }),
  );
  await answerTo(bench, pending);
  for (const name of ['agt_worker', 'eve']) {
    await expect(
      bench.runtime.records.auditRecord(runId, operator(name, ['worker', 'end_user'])),
    ).rejects.toMatchObject({
      code: 'permission_denied',
    });
  }
  for (const role of ['compliance', 'sre', 'security']) {
    const record = await bench.runtime.records.auditRecord(runId, operator('ada', [role]));
    expect(new Set(record.map(({ kind }) => kind))).toEqual(
      new Set(['owner', 'policy_version', 'approval', 'exception']),
    );
    expect(record.find(({ kind }) => kind === 'approval')).toMatchObject({ who: 'ana', what: { decision: 'approve' } });
    expect(record.find(({ kind }) => kind === 'policy_version')?.what).toMatchObject({ policy_version: 'no_rules@1' });
  }
});

verifies(ID, 'detects one altered byte and names the entry', async () => {
  const disk = memoryDisk();
  const bench = rig({ ...(GATED as object), world: { journal: memoryJournal({ hash: sha256, disk }) } });
  const { runId, pending } = await bench.invoke();
  await answerTo(bench, pending);
  const record = await bench.runtime.records.auditRecord(runId, operator('ada', ['security']));
  expect(verifyAuditRecord(record, sha256)).toBeNull();
  for (const [place, entry] of record.entries()) {
    const altered = record.with(place, { ...entry, who: `${entry.who}x` });
    expect(verifyAuditRecord(altered, sha256)).toEqual({ entry_id: entry.entry_id, why: 'altered' });
  }
  expect(verifyAuditRecord(record.toSpliced(0, 1), sha256)).toMatchObject({ entry_id: record[1]?.entry_id });
  for (let kept = 1; kept < record.length; kept += 1) {
    const last = { entry_id: record[kept - 1]?.entry_id, why: 'cut_off' };
    expect(verifyAuditRecord(record.slice(0, kept), sha256)).toEqual(last);
  }
  expect(verifyAuditRecord([], sha256)).toEqual({ entry_id: null, why: 'empty' });
  const frames = disk.frames.get(runId) ?? [];
  const [first] = frames;
  if (first === undefined) throw new Error('no frames');
  frames[0] = { ...first, events: first.events.replace('agt_worker', 'agt_worket') };
  await expect(bench.runtime.records.auditRecord(runId, operator('ada', ['security']))).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringMatching(/frame 1|1:/),
  });
});
