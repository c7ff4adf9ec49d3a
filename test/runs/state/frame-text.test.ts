/** What is hashed is a text, so it matters to the letter: a frame is written as the platform writes the list of its events. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { planOf, rig } from '../rig.ts';

test('every frame of a run is the text of its events, of one as of many', async () => {
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
