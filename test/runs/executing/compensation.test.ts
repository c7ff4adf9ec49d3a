/** Tests that an abandoned run compensates its effects, newest first, through the same pipeline as any call. */
import { describe, expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../../src/model/events/event.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import {
  CAPS,
  handoverPacket,
  neverAnswers,
  operator,
  planOf,
  REQUEST,
  type Rig,
  type RigOptions,
  type RigTool,
  rig,
} from '../rig.ts';
import { restartProcess } from './crashed-process.ts';

const KEYED = { kind: 'key', retention_ms: 600_000 } as const;
const CANCEL: EventBody = { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' };

const acts = (changes: RigTool = {}): RigTool => ({
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: KEYED,
  retries_max: 0,
  ...changes,
});

const reversible = (undo: string, id: string): RigTool =>
  acts({
    probes: { compensate: undo },
    probing: { compensate: { args: ({ result }) => ({ id: (result as JsonObject)['id'] ?? '' }) } },
    execute: () => ({ id }),
  });

/** Two reversible effects, an irreversible one between them, and a last step behind a gate. */
function shop(tools: Readonly<Record<string, RigTool>> = {}): RigOptions {
  return {
    tools: {
      book: reversible('unbook', 'b_1'),
      mail: acts(),
      pay: reversible('refund', 'p_1'),
      unbook: acts(),
      refund: acts(),
      finish: acts({ approval_mode: 'network', gates: ['GATE_FINISH'], produces: ['done'] }),
      ...tools,
    },
    plans: [
      planOf([
        { id: 's1', tool: 'book' },
        { id: 's2', tool: 'mail', depends_on: ['s1'] },
        { id: 's3', tool: 'pay', depends_on: ['s2'] },
        { id: 's4', tool: 'finish', depends_on: ['s3'], requires: tools['finish']?.gates ?? ['GATE_FINISH'] },
      ]),
    ],
  };
}

const UNDO = ['unbook', 'refund'];
const undone = (bench: Rig) => bench.dispatches.filter(({ tool }) => UNDO.includes(tool));
const settledIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'step_compensated' ? [event.settled] : []));

async function abandoned(bench: Rig, input: EventBody = CANCEL): Promise<RunOutcome> {
  await bench.invoke();
  return await bench.settle(bench.runtime.sessions.send('run_1', input));
}

/** Decides the only open gate. */
async function decide(bench: Rig, waiting: RunOutcome, word: 'approve' | 'reject', name = 'ana'): Promise<RunOutcome> {
  const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
  const answer = { packetHash, credential: operator(name), reason: 'looked at it' };
  return await bench.settle(bench.runtime.gates[word](gateId, answer));
}

describe('a cancelled run', () => {
  verifies('execute:compensation:reversible-rollback', 'compensates its effects newest first, each once', async () => {
    const bench = rig(shop());
    const run = await abandoned(bench);
    expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(undone(bench).map(({ tool, args }) => [tool, args])).toEqual([
      ['refund', { id: 'p_1' }],
      ['unbook', { id: 'b_1' }],
    ]);
    const keys = bench.dispatches.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(settledIn(await bench.events('run_1'))).toMatchObject([
      { step_id: 's3', tool: 'pay', compensation: 'refund', outcome: 'rolled_back' },
      { step_id: 's1', tool: 'book', compensation: 'unbook', outcome: 'rolled_back' },
    ]);
    expect(run.record?.effects).toMatchObject([
      { step_id: 's1', outcome: 'rolled_back' },
      { step_id: 's2', tool: 'mail', outcome: 'stands', reason: 'no_compensation' },
      { step_id: 's3', outcome: 'rolled_back' },
    ]);
    expect(run.record?.rollback_spent).toMatchObject({ calls: 2 });
    const kept = (await bench.runtime.records.transcripts('run_1')).map(({ step_id, call }) => [step_id, call.tool]);
    expect(kept.slice(-2)).toEqual([
      ['s3:compensate', 'refund'],
      ['s1:compensate', 'unbook'],
    ]);
    await bench.runtime.records.replay('run_1');
    expect(undone(bench)).toHaveLength(2);
  });

  test('records each intent before the call and settles it in the ledger', async () => {
    const bench = rig(shop());
    await abandoned(bench);
    const events = await bench.events('run_1');
    for (const { key, tool } of undone(bench)) {
      expect(events.some((event) => event.type === 'step_attempted' && event.idempotency_key === key)).toBe(true);
      expect(await bench.journal.effect('run_1', key)).toMatchObject({ tool, state: 'settled' });
    }
  });

  verifies(
    'execute:compensation:optional',
    'leaves effects without a compensation standing, without an error',
    async () => {
      const bench = rig({ ...shop({ book: acts(), pay: acts() }) });
      const run = await abandoned(bench);
      expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
      expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['book', 'mail', 'pay']);
      expect(settledIn(await bench.events('run_1'))).toEqual([]);
      expect(run.record?.effects?.map(({ tool, outcome, reason }) => [tool, outcome, reason])).toEqual([
        ['book', 'stands', 'no_compensation'],
        ['mail', 'stands', 'no_compensation'],
        ['pay', 'stands', 'no_compensation'],
      ]);
      expect(run.record?.rollback_spent).toBeUndefined();
      await bench.runtime.records.replay('run_1');
    },
  );

  test('compensates a call that succeeded while the run was being cancelled', async () => {
    const paid = Promise.withResolvers<JsonObject>();
    const started = Promise.withResolvers<void>();
    const pay: RigTool = {
      ...reversible('refund', 'p_1'),
      execute: () => {
        started.resolve();
        return paid.promise;
      },
    };
    const bench = rig(shop({ pay }));
    const running = bench.runtime.invoke(REQUEST);
    await started.promise;
    const cancelled = bench.runtime.sessions.send('run_1', CANCEL);
    paid.resolve({ id: 'p_1' });
    await bench.settle(running);
    const run = await bench.settle(cancelled);
    expect(run.terminalCode).toBe('USER_CANCEL');
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['refund', 'unbook']);
    await bench.runtime.records.replay('run_1');
  });
});

describe('endings that compensate', () => {
  test('a rejected gate compensates, and the run ends as rejected', async () => {
    const bench = rig(shop());
    const run = await decide(bench, await bench.invoke(), 'reject');
    expect(run).toMatchObject({ status: 'rejected', terminalCode: 'PERMISSION_DENIED', reason: 'approval_rejected' });
    expect(undone(bench)).toHaveLength(2);
    await bench.runtime.records.replay('run_1');
  });

  test('a failure that a person terminates compensates, even without budget', async () => {
    const fails: RigTool['execute'] = () => {
      throw new Error('not now');
    };
    const finish = acts({ produces: ['done'], gates: [], retries_max: 2, execute: fails });
    const bench = rig({ ...shop({ finish }), caps: { ...CAPS, tool_calls_max: 4, side_effects_max: 4 } });
    const run = await bench.invoke();
    const word = { decision: 'terminate', by: 'ben', reason: 'enough' } as const;
    const over: EventBody = { type: 'escalation_decided', ...word, ...handoverPacket(run) };
    expect(run).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
    const ended = await bench.settle(bench.runtime.sessions.send('run_1', over));
    expect(ended).toMatchObject({ status: 'failed', terminalCode: 'BUDGET_EXHAUSTED' });
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['refund', 'unbook']);
    await bench.runtime.records.replay('run_1');
  });

  test('a failure that escalates and ends at once compensates', async () => {
    const fails: RigTool['execute'] = () => {
      throw new Error('not now');
    };
    const finish = acts({ produces: ['done'], gates: [], idempotency: { kind: 'none' }, execute: fails });
    const handed = rig({ ...shop({ finish }), options: { limits: { onEscalate: 'end' } } });
    expect(await handed.invoke()).toMatchObject({ status: 'failed' });
    const types = (await handed.events('run_1')).map(({ type }) => type);
    expect(types.indexOf('run_escalated')).toBeGreaterThan(0);
    expect(undone(handed).map(({ tool }) => tool)).toEqual(['refund', 'unbook']);
    await handed.runtime.records.replay('run_1');
  });

  test('success and an expired gate do not compensate; standing effects are listed', async () => {
    const well = rig(shop({ finish: acts({ produces: ['done'], gates: [] }) }));
    expect(await well.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(undone(well)).toEqual([]);
    const late = rig(shop());
    const waiting = await late.invoke();
    late.clock.advanceTo((waiting.pending[0]?.expiresAt ?? 0) + 1);
    const run = await late.settle(late.runtime.resume('run_1'));
    expect(run).toMatchObject({ status: 'expired' });
    expect(undone(late)).toEqual([]);
    expect(run.record?.effects).toMatchObject([{ outcome: 'stands' }, { outcome: 'stands' }, { outcome: 'stands' }]);
  });
});

describe('a gated compensation', () => {
  const gated = (): RigOptions => shop({ refund: acts({ approval_mode: 'network', gates: ['GATE_REFUND'] }) });

  test('waits for a person other than the actor of the run', async () => {
    const bench = rig(gated());
    const waiting = await abandoned(bench);
    expect(waiting).toMatchObject({ status: 'awaiting_gate', terminalCode: null, pending: [{ name: 'GATE_REFUND' }] });
    expect(undone(bench)).toEqual([]);
    await expect(decide(bench, waiting, 'approve', 'agt_worker')).rejects.toMatchObject({ code: 'permission_denied' });
    const run = await decide(bench, waiting, 'approve');
    expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['refund', 'unbook']);
    expect(run.record?.approvals).toMatchObject([{ gate: 'GATE_REFUND', step_id: 's3:compensate', approver: 'ana' }]);
    await bench.runtime.records.replay('run_1');
  });

  test('with two gates waits for both, as one request', async () => {
    const gates = ['GATE_REFUND', 'GATE_LEGAL'];
    const bench = rig(shop({ refund: acts({ approval_mode: 'network', gates }) }));
    const waiting = await abandoned(bench);
    expect(waiting.pending.map((open) => open.gates.map(({ name }) => name))).toEqual([gates]);
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    const answer = { packetHash, credential: operator('ana'), reason: 'seen', gates: ['GATE_LEGAL'] };
    expect(await bench.settle(bench.runtime.approve(gateId, answer))).toMatchObject({ status: 'awaiting_gate' });
    expect(undone(bench)).toEqual([]);
    expect(await decide(bench, waiting, 'approve')).toMatchObject({ status: 'cancelled' });
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['refund', 'unbook']);
    await bench.runtime.records.replay('run_1');
  });

  test('leaves the effect standing if it is rejected, and the rollback continues', async () => {
    const bench = rig(gated());
    const run = await decide(bench, await abandoned(bench), 'reject');
    expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['unbook']);
    expect(run.record?.effects).toMatchObject([
      { step_id: 's1', outcome: 'rolled_back' },
      { step_id: 's2' },
      { step_id: 's3', outcome: 'stands', reason: 'approval_rejected' },
    ]);
    await bench.runtime.records.replay('run_1');
  });

  test('leaves the effect standing if the gate expires, and the rollback continues', async () => {
    const bench = rig(gated());
    const { pending } = await abandoned(bench);
    bench.clock.advanceTo((pending[0]?.expiresAt ?? 0) + 1);
    const run = await bench.settle(bench.runtime.resume('run_1'));
    expect(run.terminalCode).toBe('USER_CANCEL');
    expect(run.record?.effects?.map(({ reason }) => reason)).toEqual(['taken_back', 'no_compensation', 'gate_expired']);
  });

  test('is refused if its tool is outside the boundary', async () => {
    const bench = rig({
      ...shop(),
      agent: (agent) => ({
        ...agent,
        boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, mode_max: 'network' } },
      }),
      ...{ tools: { ...shop().tools, refund: acts({ approval_mode: 'destructive', gates: ['G'] }) } },
    });
    const run = await abandoned(bench);
    expect(run.terminalCode).toBe('USER_CANCEL');
    expect(undone(bench).map(({ tool }) => tool)).toEqual(['unbook']);
    expect(run.record?.effects?.at(-1)).toMatchObject({ step_id: 's3', outcome: 'stands' });
  });
});

describe('a failing compensation', () => {
  test.each([
    ['key', KEYED, 3, 'rolled_back'],
    ['none', { kind: 'none' }, 1, 'unknown'],
  ] as const)(
    'of a tool with idempotency %s is retried only if that is safe',
    async (_kind, idempotency, calls, outcome) => {
      let tries = 0;
      const refund = acts({
        idempotency,
        retries_max: 5,
        execute: () => {
          tries += 1;
          if (tries < 3) throw new Error('not now');
          return { ok: true };
        },
      });
      const bench = rig(shop({ refund }));
      const run = await abandoned(bench);
      const sent = bench.dispatches.filter(({ tool }) => tool === 'refund');
      expect(sent).toHaveLength(calls);
      expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
      expect(run.record?.effects?.at(-1)).toMatchObject({ step_id: 's3', outcome });
      expect(undone(bench).at(-1)?.tool).toBe('unbook');
      await bench.runtime.records.replay('run_1');
    },
  );

  test.each(['key', 'none'] as const)(
    'of a tool (%s) whose process dies is sent again only if that is safe',
    async (kind) => {
      const idempotency = kind === 'key' ? KEYED : ({ kind } as const);
      const reached = Promise.withResolvers<void>();
      const dying: RigTool['execute'] = async (...call) => {
        reached.resolve();
        return await neverAnswers(...call);
      };
      const first = rig(shop({ refund: acts({ idempotency, execute: dying }) }));
      await first.invoke();
      void first.runtime.sessions.send('run_1', CANCEL);
      await reached.promise;
      const next = restartProcess(first, shop({ refund: acts({ idempotency }) }));
      const run = await next.settle(next.runtime.resume('run_1'));
      expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
      const [before] = undone(first);
      const again = undone(next).filter(({ tool }) => tool === 'refund');
      expect(again.map(({ key }) => key)).toEqual(kind === 'key' ? [before?.key] : []);
      expect(undone(next).filter(({ tool }) => tool === 'unbook')).toHaveLength(1);
      const last = run.record?.effects?.at(-1);
      expect(last).toMatchObject({ step_id: 's3', outcome: kind === 'key' ? 'rolled_back' : 'unknown' });
      await next.runtime.records.replay('run_1');
    },
  );

  test('blocks an identical compensation of another effect while it is in doubt', async () => {
    const execute: RigTool['execute'] = () => {
      throw new Error('not now');
    };
    const bench = rig(shop({ book: reversible('refund', 'p_1'), refund: acts({ execute }) }));
    const run = await abandoned(bench);
    expect(undone(bench)).toHaveLength(1);
    expect(run.record?.effects).toMatchObject([
      { step_id: 's1', outcome: 'unknown', reason: 'call_in_doubt', compensated_by: null },
      { step_id: 's2', outcome: 'stands' },
      { step_id: 's3', outcome: 'unknown' },
    ]);
    await bench.runtime.records.replay('run_1');
  });

  test('is settled by a reconcile probe that knows its result', async () => {
    const refund = acts({
      idempotency: { kind: 'none' },
      probes: { reconcile: 'look' },
      timeout_ms: 1_000,
      execute: neverAnswers,
    });
    const look: RigTool = { output_schema: {}, execute: () => ({ ok: true }) };
    const bench = rig(shop({ refund, look }));
    const run = await abandoned(bench);
    expect(run.record?.effects?.at(-1)).toMatchObject({ outcome: 'rolled_back', reason: 'found_taken_back' });
    await bench.runtime.records.replay('run_1');
  });

  test('a second cancel and a pause are rejected during a rollback', async () => {
    const bench = rig(shop({ refund: acts({ approval_mode: 'network', gates: ['GATE_REFUND'] }) }));
    await abandoned(bench);
    await expect(bench.runtime.sessions.send('run_1', CANCEL)).rejects.toThrow(/takes back/);
    await expect(
      bench.runtime.sessions.send('run_1', { type: 'run_paused', cause: 'operator', by: 'ben' } as EventBody),
    ).rejects.toThrow();
  });
});
