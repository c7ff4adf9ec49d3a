/** A change that nobody approved: on record it is an incident and stops the tool; live it is not sent. */
import { describe, expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { GUARDS } from '../../../src/kernel/guards.ts';
import { step } from '../../../src/kernel/step.ts';
import type { RunEvent } from '../../../src/model/event.ts';
import type { Frame } from '../../../src/model/frame.ts';
import type { Journal } from '../../../src/ports/journal.ts';
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

async function approved(bench: Rig): Promise<string> {
  const { pending, runId } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'ok' }));
  return runId;
}

type Change = (events: readonly RunEvent[]) => readonly object[];

/** The same store, seen by a process to which the traces look as `change` makes them. */
async function reading(change: Change): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const disk = memoryDisk();
  const ids = countingIds();
  const runId = await approved(rig({ ...OPTIONS, world: { journal: memoryJournal({ hash: sha256, disk }), ids } }));
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

const cleared =
  (changes: object): Change =>
  (events) =>
    events.map((event) => (event.type === 'step_cleared' ? { ...event, ...changes } : event));

describe('a trace', () => {
  const traces: readonly (readonly [string, Change])[] = [
    ['in which nobody decided', without('gate_decided')],
    [
      'in which there was no gate',
      (events) => cleared({ gates: [] })(without('gate_opened', 'gate_decided')(events) as RunEvent[]),
    ],
    [
      'in which the call was made out to be harmless',
      (events) =>
        cleared({ gates: [], mode: 'read_only' })(without('gate_opened', 'gate_decided')(events) as RunEvent[]),
    ],
    [
      'in which the answer was no',
      (events) => events.map((event) => (event.type === 'gate_decided' ? { ...event, decision: 'reject' } : event)),
    ],
  ];
  for (const [what, change] of traces) {
    verifies(ID, `${what} is an incident, and the tool is called no more`, async () => {
      const { bench, runId } = await reading(change);
      const incidents = await bench.runtime.audit(runId);
      const found = { kind: 'mutation_without_approval', run_id: runId, tool: 'pay', step_id: 'a', missing: ['GATE'] };
      expect(incidents).toMatchObject([found]);
      const [incident] = incidents;
      expect(await bench.runtime.killSwitches.list()).toMatchObject([
        { switch_id: incident?.incident_id, scope: { agent: 'worker', tool: 'pay' }, thrown: { by: 'ambit:audit' } },
      ]);
      // Nobody is even asked.
      const next = await bench.invoke();
      expect(next).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on', pending: [] });
      expect(bench.dispatches).toEqual([]);
    });
  }

  test('as it was is none; and one incident is opened once', async () => {
    const { bench, runId } = await reading((events) => events);
    expect(await bench.runtime.audit(runId)).toEqual([]);
    expect(await bench.runtime.killSwitches.list()).toEqual([]);
    const forged = await reading(without('gate_decided'));
    await forged.bench.runtime.audit(forged.runId);
    await forged.bench.runtime.audit(forged.runId);
    expect(await forged.bench.runtime.killSwitches.list()).toHaveLength(1);
  });
});

verifies(ID, 'live, the guard on the way to the tool is shut and nothing is sent', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const waiting = fold(env, await bench.events(runId)).at(-1);
  if (waiting === undefined) throw new Error('no run');
  expect(GUARDS['approval_recorded@1']?.(waiting)).toBe(false);
  const paid = rig(OPTIONS);
  const attempt = (await paid.events(await approved(paid))).find(({ type }) => type === 'step_attempted');
  if (attempt === undefined) throw new Error('no attempt');
  const [after, effects, fault] = step(env, waiting, attempt);
  expect(after).toBe(waiting);
  expect(effects).toEqual([]);
  expect(fault).toBeDefined();
  const { at: _, ...said } = attempt;
  await expect(bench.runtime.tell(runId, said)).rejects.toMatchObject({ code: 'event_illegal' });
  expect(bench.dispatches).toEqual([]);
});
