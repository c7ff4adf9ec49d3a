/** A mutation without approval: in a recorded trace it is an incident and blocks the tool; live it is not sent. */
import { describe, expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { step } from '../../../src/kernel/machine/step.ts';
import { GUARDS } from '../../../src/kernel/query/guards.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { Frame } from '../../../src/model/events/frame.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf } from '../graphs/kernel.ts';
import { countingIds, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const ID = 'pathology:escalation-bypass:mutation-without-approval';

const OPTIONS: RigOptions = {
  tools: {
    pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] },
  },
  plans: Array.from({ length: 3 }, () => planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE'] }])),
};

async function invokeApproved(bench: Rig): Promise<string> {
  const { pending, runId } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'ok' }));
  return runId;
}

type Change = (events: readonly RunEvent[]) => readonly object[];

/** A process on the same store that reads the traces as `change` rewrites them. */
async function rigReading(change: Change): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const disk = memoryDisk();
  const ids = countingIds();
  const runId = await invokeApproved(
    rig({ ...OPTIONS, world: { journal: memoryJournal({ hash: sha256, disk }), ids } }),
  );
  const own = memoryJournal({ hash: sha256, disk });
  const changed = (frame: Frame): Frame => ({
    ...frame,
    events: JSON.stringify(change(JSON.parse(frame.events) as RunEvent[])),
  });
  const load: Journal['load'] = async (session) => {
    const frames = await own.load(session);
    return session === runId ? frames.map(changed) : frames;
  };
  return { bench: rig({ ...OPTIONS, world: { journal: { ...own, load }, ids } }), runId };
}

const without =
  (...types: readonly RunEvent['type'][]): Change =>
  (events) =>
    events.filter(({ type }) => !types.includes(type));

const changeClearance =
  (changes: object): Change =>
  (events) =>
    events.map((event) => (event.type === 'step_cleared' ? { ...event, ...changes } : event));

describe('a trace', () => {
  const traces: readonly (readonly [string, Change])[] = [
    ['without a decision', without('gate_decided')],
    [
      'without a gate',
      (events) => changeClearance({ gates: [] })(without('gate_opened', 'gate_decided')(events) as RunEvent[]),
    ],
    [
      'in which the call is labelled read-only',
      (events) =>
        changeClearance({ gates: [], mode: 'read_only' })(without('gate_opened', 'gate_decided')(events) as RunEvent[]),
    ],
    [
      'with a rejection',
      (events) => events.map((event) => (event.type === 'gate_decided' ? { ...event, decision: 'reject' } : event)),
    ],
  ];
  for (const [what, change] of traces) {
    verifies(ID, `${what} is an incident, and the tool is blocked`, async () => {
      const { bench, runId } = await rigReading(change);
      const incidents = await bench.runtime.records.audit(runId);
      const found = { kind: 'mutation_without_approval', run_id: runId, tool: 'pay', step_id: 'a', missing: ['GATE'] };
      expect(incidents).toMatchObject([found]);
      const [incident] = incidents;
      expect(await bench.runtime.killSwitches.list()).toMatchObject([
        { switch_id: incident?.incident_id, scope: { agent: 'worker', tool: 'pay' }, thrown: { by: 'ambit:audit' } },
      ]);
      // The next run ends without opening a gate.
      const next = await bench.invoke();
      expect(next).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on', pending: [] });
      expect(bench.dispatches).toEqual([]);
    });
  }

  test('that is unchanged is no incident, and an incident is opened once', async () => {
    const { bench, runId } = await rigReading((events) => events);
    expect(await bench.runtime.records.audit(runId)).toEqual([]);
    expect(await bench.runtime.killSwitches.list()).toEqual([]);
    const forged = await rigReading(without('gate_decided'));
    await forged.bench.runtime.records.audit(forged.runId);
    await forged.bench.runtime.records.audit(forged.runId);
    expect(await forged.bench.runtime.killSwitches.list()).toHaveLength(1);
  });
});

verifies(ID, 'live, the approval guard is closed and nothing is sent', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const waiting = fold(env, await bench.events(runId)).at(-1);
  if (waiting === undefined) throw new Error('no run');
  expect(GUARDS['approval_recorded@1']?.(waiting)).toBe(false);
  const paid = rig(OPTIONS);
  const attempt = (await paid.events(await invokeApproved(paid))).find(({ type }) => type === 'step_attempted');
  if (attempt === undefined) throw new Error('no attempt');
  const [after, effects, fault] = step(env, waiting, attempt);
  expect(after).toBe(waiting);
  expect(effects).toEqual([]);
  expect(fault).toBeDefined();
  const { at: _, ...body } = attempt;
  await expect(bench.runtime.sessions.send(runId, body)).rejects.toMatchObject({ code: 'event_illegal' });
  expect(bench.dispatches).toEqual([]);
});
