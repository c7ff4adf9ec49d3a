/** Tests that a repeated idempotency key returns the recorded result without calling the tool. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { workspaceFiles } from '../../../src/adapters/node/workspace-files.ts';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import { BREAKER_LIMITS } from '../../../src/gateway/limits/breakers.ts';
import { NO_COST, type ToolCall } from '../../../src/model/tool/tool.ts';
import { Cancellation } from '../../../src/ports/cancellation.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, rig, START_MS } from '../rig.ts';

const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);

function shop(): Rig {
  return rig({
    tools: {
      pay: {
        side_effect: true,
        approval_mode: 'local_write',
        produces: ['done'],
        idempotency: { kind: 'none' },
        execute: (_, { idempotencyKey }) => ({ receipt: idempotencyKey.slice(0, 8) }),
      },
    },
    plans: [PLAN],
  });
}

/** The gateway of a second process with the same tool; it records the calls that reach the tool. */
function counting(journal: Journal): { readonly gateway: Gateway; readonly calls: string[] } {
  const calls: string[] = [];
  const clock = simulatedClock(START_MS);
  const gateway = createGateway({
    tools: {
      call: async (call) => {
        calls.push(call.idempotency_key);
        return { call_id: call.call_id, outcome: 'ok', raw: { receipt: 'another' }, spent: NO_COST };
      },
    },
    infrastructure: { permits: () => ({ ok: true }) },
    files: workspaceFiles(),
    breakers: BREAKER_LIMITS,
    clock,
    timer: clock,
    hash: sha256,
    ledger: journal,
  });
  return { gateway, calls };
}

function dispatch(gateway: Gateway, call: ToolCall) {
  const run = { runId: 'run_1', tenantId: 'tenant_a', actor: 'agt_worker', scopes: [] };
  const order = {
    call,
    limits: undefined,
    behind: [],
    run,
    timeoutMs: 1_000,
    notBefore: 0,
    dispatchBefore: START_MS + 1,
    once: true,
  };
  return gateway.call(order, new Cancellation(), () => undefined);
}

verifies(
  'gateway:idempotency:duplicate-absorbed',
  'executes a key that is issued twice once, and returns the same result to both callers',
  async () => {
    const bench = shop();
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    const [first] = await bench.runtime.records.transcripts(run.runId);
    if (first === undefined) throw new Error('the call left no transcript');
    const { gateway, calls } = counting(bench.journal);
    const { event } = await dispatch(gateway, first.call);
    expect(bench.dispatches).toHaveLength(1);
    expect(calls).toEqual([]);
    expect(event).toMatchObject({ outcome: 'ok', raw: first.result.raw });
    await dispatch(gateway, { ...first.call, idempotency_key: 'another key' });
    expect(calls).toEqual(['another key']);
  },
);

test('does not send a call if the ledger cannot be read', async () => {
  const journal = memoryJournal({ hash: sha256 });
  await journal.close();
  const { gateway, calls } = counting(journal);
  const call = { call_id: 'call_1', step_id: 'a', tool: 'pay', args: {}, args_hash: 'h', attempt: 1 };
  const { event } = await dispatch(gateway, { ...call, idempotency_key: 'key' });
  expect(event).toMatchObject({ outcome: 'error', detail: expect.stringContaining('not sent') });
  expect(calls).toEqual([]);
});

test('never sends a settled key again, in any order of keys', async () => {
  const bench = shop();
  const { runId } = await bench.invoke();
  const [settled] = await bench.runtime.records.transcripts(runId);
  if (settled === undefined) throw new Error('the call left no transcript');
  const keys = fc.array(fc.constantFrom(settled.call.idempotency_key, 'key_b', 'key_c'), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(keys, async (asked) => {
      const { gateway, calls } = counting(bench.journal);
      for (const idempotency_key of asked) await dispatch(gateway, { ...settled.call, idempotency_key });
      expect(calls).toEqual(asked.filter((key) => key !== settled.call.idempotency_key));
    }),
    { numRuns: 30 },
  );
});
