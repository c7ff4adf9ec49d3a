/** The chain does not cover the content of a stored checkpoint, so replay compares the checkpoint with the chain. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
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

/** Answers every checkpoint id with the run's first checkpoint: valid content under the wrong id. */
function swapCheckpoints(journal: Journal): Journal {
  const texts: Journal['texts'] = async (sessions) => {
    const honest = await journal.texts(sessions);
    return { ...honest, checkpoint: (id) => honest.checkpoint(id.replace(/\d+$/, '1')) };
  };
  return { ...journal, texts };
}

test('detects a checkpoint id that points to other valid content', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const { runId } = await rig({ ...OPTIONS, world: { journal } }).invoke();
  const honest = rig({ ...OPTIONS, world: { journal } });
  await expect(honest.runtime.records.replay(runId)).resolves.toMatchObject({
    state: { ending: { criteriaMet: true } },
  });
  const forged = rig({ ...OPTIONS, world: { journal: swapCheckpoints(journal) } });
  await expect(forged.runtime.records.replay(runId)).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
});
