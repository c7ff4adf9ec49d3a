/** Two runtimes on one store see each other's changes, whichever drove last. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Ids } from '../../../src/ports/clock.ts';
import { countingIds, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: {
    pay: { approval_mode: 'destructive', gates: ['GATE_A'] },
    tell: { approval_mode: 'destructive', gates: ['GATE_B'], produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'pay', requires: ['GATE_A'] },
      { id: 's2', tool: 'tell', depends_on: ['s1'], requires: ['GATE_B'] },
    ]),
  ],
};

function sideBySide(): readonly [Rig, Rig] {
  const disk = memoryDisk();
  const world = (ids: Ids): NonNullable<RigOptions['world']> => ({
    ids,
    journal: memoryJournal({ hash: sha256, disk }),
  });
  const others = countingIds();
  const named: Ids = { next: (prefix) => others.next(`${prefix}_other`) };
  return [rig({ ...OPTIONS, world: world(countingIds()) }), rig({ ...OPTIONS, plans: [], world: world(named) })];
}

async function approve({ runtime, settle }: Rig): Promise<string> {
  const { pending } = await runtime.sessions.get('run_1');
  const { gateId = '', packetHash = '', name = '' } = pending[0] ?? {};
  await settle(runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' }));
  return name;
}

test('one process continues from what the other decided', async () => {
  const [one, other] = sideBySide();
  expect(await one.invoke()).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_A' }] });
  expect(await approve(other)).toBe('GATE_A');
  expect(other.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
  // The first process holds an older state and reloads it before it acts.
  expect(await one.runtime.sessions.get('run_1')).toMatchObject({ pending: [{ name: 'GATE_B' }] });
  expect(await approve(one)).toBe('GATE_B');
  expect(one.dispatches.map(({ tool }) => tool)).toEqual(['tell']);
  expect(await other.runtime.sessions.get('run_1')).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect((await other.runtime.records.replay('run_1')).state.ending.terminal?.code).toBe('SUCCESS');
});

test('a note from another process has a guest writer in the journal, and the driver keeps driving', async () => {
  const [one, other] = sideBySide();
  await one.invoke();
  await other.settle(other.runtime.sessions.steer('run_1', { credential: operator('ops_1'), note: 'be quick' }));
  const writers = (await one.runtime.records.frames('run_1')).map(({ writer }) => writer);
  expect(writers.at(-1)).toMatch(/\/aside$/);
  expect(writers.at(-1)).not.toBe(`${writers[0]}/aside`);
  await approve(one);
  await approve(one);
  expect(await one.runtime.sessions.get('run_1')).toMatchObject({ terminalCode: 'SUCCESS' });
  expect((await one.events('run_1')).some(({ type }) => type === 'run_reloaded')).toBe(false);
  expect((await one.runtime.records.replay('run_1')).state.people.notes).toMatchObject([
    { by: 'ops_1', text: 'be quick' },
  ]);
});
