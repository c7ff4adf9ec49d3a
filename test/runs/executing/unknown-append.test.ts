/** Tests that a frame whose append has an unknown result is appended again. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Append, Journal } from '../../../src/ports/journal/journal.ts';
import { UNKNOWN_RETRIES_MAX } from '../../../src/session/journal-writer.ts';
import { planOf, rig } from '../rig.ts';

test.each(['stored', 'lost'] as const)('makes every call once if the first append was %s', async (fate) => {
  const journal = memoryJournal({ hash: sha256 });
  const offered = new Set<string>();
  const unsure: Journal = {
    ...journal,
    append: async (append) => {
      const isFirst = !offered.has(append.frame.hash);
      offered.add(append.frame.hash);
      if (!isFirst || fate === 'stored') await journal.append(append);
      if (isFirst) throw new Fault('store_unknown', 'the append may or may not have been stored; reload');
    },
  };
  const bench = rig({
    tools: { pay: { side_effect: true, approval_mode: 'local_write', produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'pay' }])],
    world: { journal: unsure },
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.dispatches).toHaveLength(1);
  expect(await journal.load(runId)).toHaveLength(offered.size);
  await bench.runtime.records.replay(runId);
});

test('repeats the append of the same frame up to a limit', async () => {
  const offered: Append[] = [];
  const lost: Journal = {
    ...memoryJournal({ hash: sha256 }),
    append: async (append) => {
      offered.push(append);
      throw new Fault('store_unknown', 'the append may or may not have been stored; reload');
    },
  };
  const bench = rig({ plans: [planOf([{ id: 's1', tool: 'look' }])], tools: { look: {} }, world: { journal: lost } });
  await expect(bench.invoke()).rejects.toMatchObject({ code: 'store_unknown' });
  expect(offered).toHaveLength(1 + UNKNOWN_RETRIES_MAX);
  expect(new Set(offered.map(({ frame }) => frame.hash)).size).toBe(1);
  expect(bench.dispatches).toEqual([]);
});

test('raises no stop after a tool answer whose append has an unknown result', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const offered: string[] = [];
  const unsure: Journal = {
    ...journal,
    append: async (append) => {
      const { events } = append.frame;
      offered.push(events);
      if (events.includes('"type":"step_observed"')) {
        throw new Fault('store_unknown', 'the append may or may not have been stored; reload');
      }
      await journal.append(append);
    },
  };
  const bench = rig({ plans: [planOf([{ id: 's1', tool: 'look' }])], tools: { look: {} }, world: { journal: unsure } });
  await expect(bench.invoke()).rejects.toMatchObject({ code: 'store_unknown' });
  expect(offered.at(-1)).toContain('"type":"step_observed"');
  expect(offered.join()).not.toContain('"type":"stop_raised"');
});
