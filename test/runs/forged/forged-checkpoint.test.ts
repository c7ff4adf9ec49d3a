/** A checkpoint is named by its id in the store and by nothing in the chain, so replay compares what both say. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

/** Every checkpoint is answered with the run's first one: a valid content under the wrong id. */
function swapping(journal: Journal): Journal {
  return { ...journal, checkpoint: (id) => journal.checkpoint(id.replace(/\d+$/, '1')) };
}

test('a checkpoint pointed at another valid content is found', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const { runId } = await rig({ ...OPTIONS, world: { journal } }).invoke();
  const honest = rig({ ...OPTIONS, world: { journal } });
  await expect(honest.runtime.replay(runId)).resolves.toMatchObject({ state: { ending: { criteriaMet: true } } });
  const forged = rig({ ...OPTIONS, world: { journal: swapping(journal) } });
  await expect(forged.runtime.replay(runId)).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
});
