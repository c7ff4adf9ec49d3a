/**
 * A disk that fails or fills up, or a process that dies, at a chosen system call: strace injects the fault. Afterwards
 * every acknowledged frame is stored, no frame is stored in part, and the next process continues.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';

const WRITER = fileURLToPath(new URL('../journal/writer-process.ts', import.meta.url));
const TIMEOUT = { timeout: 120_000 };
const SESSIONS = ['sess_0', 'sess_1', 'sess_2', 'sess_3'];

/** The reason why these tests cannot run here; null if they can. */
function whyNot(): string | null {
  if (process.platform !== 'linux') return 'strace is for Linux';
  const tried = spawnSync('strace', ['-f', '-e', 'trace=none', 'true'], { encoding: 'utf8' });
  if (tried.error !== undefined) return 'strace is not installed';
  return tried.status === 0 ? null : `strace may not trace here: ${tried.stderr.trim().split('\n')[0]}`;
}

const reason = whyNot();

interface Died {
  readonly acknowledged: readonly string[];
  readonly stderr: string;
  readonly isKilled: boolean;
}

/** Lets a process write until the injected fault ends it. */
async function writeUntil(path: string, inject: string): Promise<Died> {
  const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `inject=${inject}`, process.execPath, WRITER];
  const child = spawn('strace', [...traced, path, 'w_1', SESSIONS.join(), '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [printed, stderr, [, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  // The last line may be cut off if the process was killed while it printed.
  const acknowledged = printed.split('\n').slice(0, -1);
  return { acknowledged, stderr, isKilled: signal === 'SIGKILL' };
}

async function assertNothingLost(path: string, { acknowledged }: Died): Promise<void> {
  const journal = sqliteJournal({ path, hash: sha256 });
  const frames = (await Promise.all(SESSIONS.map((session) => journal.load(session)))).flat();
  const stored = new Set(frames.map(({ session, seq, hash }) => `${session} ${seq} ${hash}`));
  expect(acknowledged.filter((line) => !stored.has(line))).toEqual([]);
  // At most one group was in flight, and it is stored completely or not at all.
  expect(stored.size - acknowledged.length).toBeLessThanOrEqual(SESSIONS.length);
  const after = frames.findLast(({ session }) => session === 'sess_0');
  await journal.append(draft(sha256, { session: 'sess_0', writer: 'w_2', ...(after && { after }) }));
  await journal.close();
  expect(storeTools.check(path).problems).toEqual([]);
}

describe.skipIf(reason !== null)(`a failing disk (${reason ?? 'with strace'})`, () => {
  test.each([4, 9, 23])('SIGKILL at fsync %i loses no acknowledged frame', TIMEOUT, async (n) => {
    const path = freshFile();
    const died = await writeUntil(path, `fsync,fdatasync:signal=SIGKILL:when=${n}`);
    expect(died.isKilled).toBe(true);
    await assertNothingLost(path, died);
  });

  test.each([12, 17])(
    'does not acknowledge after a failed fsync (%i), and reports the unknown result',
    TIMEOUT,
    async (n) => {
      const path = freshFile();
      const died = await writeUntil(path, `fsync,fdatasync:error=EIO:when=${n}+`);
      expect(died.stderr).toMatch(/store_unknown|store_unavailable/);
      expect(died.acknowledged.length).toBeGreaterThan(0);
      await assertNothingLost(path, died);
    },
  );

  test.each([40, 151])('stores no partial frame on a disk that is full from write %i on', TIMEOUT, async (n) => {
    const path = freshFile();
    const died = await writeUntil(path, `pwrite64:error=ENOSPC:when=${n}+`);
    expect(died.stderr).toMatch(/store_unavailable|store_unknown/);
    expect(died.stderr).toMatch(/make room/);
    await assertNothingLost(path, died);
  });
});
