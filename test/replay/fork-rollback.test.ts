/** A real fork rolls back its own effects; its parent rolls back the parent's, once. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../runs/rig.ts';

const acts = (changes: RigTool = {}): RigTool => ({
  approval_mode: 'local_write',
  side_effect: true,
  idempotency: { kind: 'none' },
  retries_max: 0,
  ...changes,
});

const compensatedBy = (tool: string): RigTool =>
  acts({ probes: { compensate: tool }, probing: { compensate: { args: () => ({}) } } });

const SHOP: RigOptions = {
  tools: {
    book: compensatedBy('unbook'),
    pay: compensatedBy('refund'),
    unbook: acts(),
    refund: acts(),
    post: acts({ approval_mode: 'network', gates: ['GATE_POST'], produces: ['done'] }),
  },
  plans: [
    planOf([
      { id: 'a', tool: 'book' },
      { id: 'b', tool: 'pay', depends_on: ['a'] },
      { id: 'c', tool: 'post', depends_on: ['b'], requires: ['GATE_POST'] },
    ]),
  ],
};

const AFTER_BOOKING = 'ck_run_1_2';

const sentTo = ({ dispatches }: Rig, tool: string): number => dispatches.filter((one) => one.tool === tool).length;

const cancel = (bench: Rig, runId: string): Promise<RunOutcome> =>
  bench.settle(bench.runtime.sessions.send(runId, { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' }));

const effectsOf = ({ record }: RunOutcome) =>
  record?.effects?.map(({ tool, outcome, reason }) => [tool, outcome, reason]);

async function forked(bench: Rig, simulate: boolean): Promise<RunOutcome> {
  const credential = operator('ben', ['operator']);
  const allowed = simulate ? { answers: { unbook: { ok: true }, refund: { ok: true } } } : { credential };
  return await bench.settle(bench.runtime.records.fork('run_1', { at: AFTER_BOOKING, simulate, ...allowed }));
}

describe.each(['memory', 'sqlite'] as const)('in a store %s', (kind) => {
  const bench = async (): Promise<Rig> => {
    const world = kind === 'memory' ? {} : { journal: sqliteJournal({ path: freshFile(), hash: sha256 }) };
    const shop = rig({ ...SHOP, world });
    expect(await shop.invoke()).toMatchObject({ runId: 'run_1', status: 'awaiting_gate' });
    return shop;
  };

  test.each([
    ['the parent', ['run_1', 'run_2']],
    ['the fork', ['run_2', 'run_1']],
  ])('rolls each effect back once, in the run that made it, when %s ends first', async (_, order) => {
    const shop = await bench();
    await forked(shop, false);
    expect([sentTo(shop, 'book'), sentTo(shop, 'pay')]).toEqual([1, 2]);
    const ends = new Map<string, RunOutcome>();
    for (const runId of order) ends.set(runId, await cancel(shop, runId));
    expect([sentTo(shop, 'unbook'), sentTo(shop, 'refund')]).toEqual([1, 2]);
    expect(effectsOf(ends.get('run_1') as RunOutcome)).toEqual([
      ['book', 'rolled_back', 'taken_back'],
      ['pay', 'rolled_back', 'taken_back'],
    ]);
    expect(effectsOf(ends.get('run_2') as RunOutcome)).toEqual([
      ['book', 'stands', 'made_by_parent'],
      ['pay', 'rolled_back', 'taken_back'],
    ]);
    for (const runId of order) await shop.runtime.records.replay(runId);
    const { dispatches } = shop;
    expect(new Set(dispatches.map(({ key }) => key)).size).toBe(dispatches.length);
    await shop.journal.close();
  });

  test('a simulated fork rolls back in its own ledger only, and the parent rolls back for real', async () => {
    const shop = await bench();
    await forked(shop, true);
    expect(effectsOf(await cancel(shop, 'run_2'))).toEqual([
      ['book', 'rolled_back', 'taken_back'],
      ['pay', 'rolled_back', 'taken_back'],
    ]);
    expect([sentTo(shop, 'unbook'), sentTo(shop, 'refund')]).toEqual([0, 0]);
    expect(await cancel(shop, 'run_1')).toMatchObject({ terminalCode: 'USER_CANCEL' });
    expect([sentTo(shop, 'unbook'), sentTo(shop, 'refund')]).toEqual([1, 1]);
    for (const runId of ['run_1', 'run_2']) await shop.runtime.records.replay(runId);
    await shop.journal.close();
  });

  test("a fork of a fork rolls back neither the first run's effects nor the second's", async () => {
    const shop = await bench();
    await forked(shop, false);
    const credential = operator('ben', ['operator']);
    await shop.settle(shop.runtime.records.fork('run_2', { at: 'ck_run_2_3', simulate: false, credential }));
    const ended = await cancel(shop, 'run_3');
    expect(effectsOf(ended)).toEqual([
      ['book', 'stands', 'made_by_parent'],
      ['pay', 'stands', 'made_by_parent'],
    ]);
    expect([sentTo(shop, 'unbook'), sentTo(shop, 'refund')]).toEqual([0, 0]);
    await shop.journal.close();
  });
});
