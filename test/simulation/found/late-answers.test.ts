/**
 * Defects that the simulator found in late answers: an answer after a run has stopped waiting for it must not end the
 * run.
 */
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { rememberingRig } from '../../runs/memory/bench.ts';
import { operator, planOf, type RigTool } from '../../runs/rig.ts';

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
