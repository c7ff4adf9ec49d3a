/** Hashes are over text, so a frame must be exactly the JSON text of its events. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { planOf, rig } from '../rig.ts';

test('every frame is the JSON text of its events, for one event and for many', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const bench = rig({
    tools: { pay: { side_effect: true, approval_mode: 'local_write', produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'pay' }])],
    world: { journal },
  });
  const { runId } = await bench.invoke();
  const texts = (await journal.load(runId)).map(({ events }) => events);
  const lists = texts.map((text) => JSON.parse(text) as readonly unknown[]);
  expect(lists.map((list) => JSON.stringify(list))).toEqual(texts);
  expect(lists.some(({ length }) => length > 1)).toBe(true);
});
