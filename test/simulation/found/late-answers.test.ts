/**
 * Defects that the simulator found in late answers: an answer after a run has stopped waiting for it must not end the
 * run.
 */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { rememberingRig } from '../../runs/memory/bench.ts';
import { operator, planOf, type RigTool, rig } from '../../runs/rig.ts';

const acts = (changes: RigTool = {}): RigTool => ({
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: { kind: 'key', retention_ms: 600_000 },
  retries_max: 0,
  ...changes,
});

test('a memory write that finishes after the run was cancelled does not stop the rollback', async () => {
  const slow = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const kept = memoryStore();
  const { bench } = rememberingRig({
    store: {
      ...kept,
      put: async (entry) => {
        reached.resolve();
        await slow.promise;
        await kept.put(entry);
      },
    },
    tools: {
      book: acts({
        produces: ['done'],
        probes: { compensate: 'unbook' },
        probing: { compensate: { args: () => ({}) } },
        execute: () => ({ id: 'b_1' }),
      }),
      unbook: acts({ approval_mode: 'network', gates: ['GATE_UNBOOK'] }),
    },
    plans: [planOf([{ id: 's1', tool: 'book' }])],
  });
  const invoked = bench.invoke();
  await reached.promise;
  const cancelled = { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' } as const;
  const waiting = await bench.settle(bench.runtime.sessions.send('run_1', cancelled));
  expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_UNBOOK' }] });
  slow.resolve();
  await invoked;
  const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
  const answer = { packetHash, credential: operator('ana'), reason: 'take it back' };
  const done = await bench.settle(bench.runtime.approve(gateId, answer));
  expect(done.terminalCode).toBe('USER_CANCEL');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['book', 'unbook']);
  await bench.runtime.records.replay('run_1');
});

test('a question that is recorded only after the store failed does not stop the rollback', async () => {
  const journal = memoryJournal({ hash: sha256 });
  let failures = 1;
  const failing: Journal = {
    ...journal,
    append: async (append) => {
      if (failures > 0 && append.frame.events.includes('"question_asked"')) {
        failures -= 1;
        throw new Fault('store_unavailable', 'the disk is full');
      }
      await journal.append(append);
    },
  };
  const bench = rig({
    tools: {
      book: acts({
        probes: { compensate: 'unbook' },
        probing: { compensate: { args: () => ({}) } },
        execute: () => ({ id: 'b_1' }),
      }),
      unbook: acts({ approval_mode: 'network', gates: ['GATE_UNBOOK'] }),
      broken: acts({
        produces: ['done'],
        execute: () => {
          throw new Error('out of order');
        },
      }),
    },
    plans: [
      planOf([
        { id: 's1', tool: 'book' },
        { id: 's2', tool: 'broken', depends_on: ['s1'] },
      ]),
      { kind: 'clarification_request', question: 'Which order is it?', fields: ['order_id'] },
    ],
    world: { journal: failing },
  });
  const { runId, pending } = await bench.invoke();
  expect(failures).toBe(0);
  expect(pending).toMatchObject([{ name: 'GATE_UNBOOK' }]);
  const types = (await bench.events(runId)).map(({ type }) => type);
  expect(types.filter((type) => type === 'stop_raised')).toHaveLength(1);
  expect(types).toContain('question_asked');
});
