/** The file of a store is deleted or replaced while a run is in progress: nothing is dispatched after that. */
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { systemClock, systemTimer } from '../../src/adapters/node/system-clock.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { planOf, REQUEST, type Rig, rig } from '../runs/rig.ts';

const BECOMES: Readonly<Record<string, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  'renamed away': (path) => renameSync(path, `${path}.old`),
  'replaced by a copy': (path) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
  'replaced by an empty file': (path) => {
    writeFileSync(`${path}.empty`, '');
    renameSync(`${path}.empty`, path);
  },
  'left without its log': (path) => rmSync(`${path}-wal`),
  'deleted with its log': (path) => {
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file);
  },
};

/** A run of two calls; the first one has this effect on the file. */
function runOver(path: string, writer: 'inline' | 'thread', effect: () => void): Rig {
  const write = { approval_mode: 'local_write', side_effect: true } as const;
  return rig({
    tools: {
      first: {
        ...write,
        execute: () => {
          effect();
          return {};
        },
      },
      second: { ...write, produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'first' },
        { id: 'b', tool: 'second', depends_on: ['a'] },
      ]),
    ],
    // The thread answers in real time.
    world: { journal: sqliteJournal({ path, hash: sha256, writer }), clock: systemClock, timer: systemTimer },
  });
}

describe.each(['inline', 'thread'] as const)('with the writer %s', (writer) => {
  test.each(Object.entries(BECOMES))('a file that is %s is noticed before the next intent', async (_, change) => {
    const path = freshFile();
    const bench = runOver(path, writer, () => change(path));
    await expect(bench.runtime.invoke(REQUEST)).rejects.toMatchObject({ code: 'store_replaced' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['first']);
    // It stays refused, also for new runs, and no new file takes the place of the missing one.
    const exists = existsSync(path);
    await expect(bench.runtime.invoke(REQUEST)).rejects.toMatchObject({ code: 'store_replaced' });
    expect([bench.dispatches.length, existsSync(path)]).toEqual([1, exists]);
    await bench.journal.close();
  });
});

test('a kill switch in a replaced file is refused instead of lost', async () => {
  const path = freshFile();
  const journal = sqliteJournal({ path, hash: sha256 });
  const bench = rig({ world: { journal } });
  rmSync(path);
  const thrown = bench.runtime.killSwitches.throw({ scope: { tool: 'pay' }, by: 'ana', reason: 'stop' });
  await expect(thrown).rejects.toMatchObject({ code: 'store_replaced' });
  await journal.close();
});

test('a backup, a check and other processes do not look like a replacement', async () => {
  const path = freshFile();
  const bench = runOver(path, 'inline', () => {
    storeTools.check(path);
    const other = sqliteJournal({ path, hash: sha256 });
    void other.close();
  });
  expect(await bench.runtime.invoke(REQUEST)).toMatchObject({ terminalCode: 'SUCCESS' });
  await storeTools.backup(path, `${path}.copy`);
  await bench.journal.close();
  expect(storeTools.check(path).problems).toEqual([]);
});
