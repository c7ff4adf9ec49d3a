/**
 * Real processes on one real file: acknowledged frames are stored, regardless of other writers and of how a writer
 * dies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { freshFile } from './sqlite-store.ts';

const WRITER = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
const TIMEOUT = { timeout: 60_000 };

interface WriterOptions {
  readonly path: string;
  readonly name: string;
  readonly sessions: readonly string[];
  /** The number of appends per session; 0 means endless. */
  readonly wanted: number;
  readonly writer: StoreWriter;
  readonly seen?: (count: number) => void;
}

interface Writer {
  readonly process: ChildProcess;
  /** `session seq hash` of each acknowledged append, complete when the process has ended. */
  readonly acknowledged: string[];
  readonly ended: Promise<number | null>;
}

function startWriter({ path, name, sessions, wanted, writer, seen }: WriterOptions): Writer {
  const child = spawn(process.execPath, [WRITER, path, name, sessions.join(), String(wanted), writer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    acknowledged.push(line);
    seen?.(acknowledged.length);
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(([[code]]) => code as number | null);
  return { process: child, acknowledged, ended };
}

async function stored(journal: Journal, sessions: readonly string[]): Promise<ReadonlySet<string>> {
  const frames = await Promise.all(sessions.map((session) => journal.load(session)));
  return new Set(frames.flat().map(({ session, seq, hash }) => `${session} ${seq} ${hash}`));
}

const names = (prefix: string): string[] => Array.from({ length: 8 }, (_, index) => `${prefix}_${index}`);

describe.each(['inline', 'thread'] as const)('several processes on one file, %s', (writer) => {
  test('two processes with separate sessions lose none of their frames', TIMEOUT, async () => {
    const path = freshFile();
    const [left, right] = [names('left'), names('right')];
    const writers = [left, right].map((sessions, at) =>
      startWriter({ path, name: `w_${at}`, sessions, wanted: 40, writer }),
    );
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0]);
    const journal = sqliteJournal({ path, hash: sha256 });
    expect(await stored(journal, [...left, ...right])).toEqual(new Set(writers.flatMap((one) => one.acknowledged)));
    expect(await journal.list({})).toHaveLength(16);
    await journal.close();
  });

  test(
    'two processes that compete for one session interleave without losing or doubling a frame',
    TIMEOUT,
    async () => {
      const path = freshFile();
      const writers = ['w_l', 'w_r'].map((name) =>
        startWriter({ path, name, sessions: ['sess_1'], wanted: 60, writer }),
      );
      expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0]);
      const journal = sqliteJournal({ path, hash: sha256 });
      const frames = await journal.load('sess_1');
      expect(frames).toHaveLength(120);
      expect(await stored(journal, ['sess_1'])).toEqual(new Set(writers.flatMap((one) => one.acknowledged)));
      await journal.close();
    },
  );

  test('a process killed while writing has stored every acknowledged frame, and others continue', TIMEOUT, async () => {
    const path = freshFile();
    const sessions = names('sess');
    const acknowledged: string[] = [];
    for (const round of [1, 2, 3]) {
      const seen = (count: number): void => {
        if (count === 150 * round) killed.process.kill('SIGKILL');
      };
      const killed: Writer = startWriter({ path, name: `w_${round}`, sessions, wanted: 0, writer, seen });
      expect(await killed.ended).toBeNull();
      expect(killed.process.signalCode).toBe('SIGKILL');
      acknowledged.push(...killed.acknowledged);
    }
    const journal = sqliteJournal({ path, hash: sha256 });
    const kept = await stored(journal, sessions);
    expect(acknowledged.filter((one) => !kept.has(one))).toEqual([]);
    // Additional stored frames were about to be acknowledged: at most one per session and round.
    expect(kept.size - acknowledged.length).toBeLessThanOrEqual(3 * sessions.length);
    await journal.close();
  });
});
