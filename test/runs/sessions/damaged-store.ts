/** A store with three sessions of a dead process, the second of which an attacker has made unreadable. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { passTurns } from '../pass-turns.ts';
import type { Rig, RigOptions } from '../rig.ts';
import { countingIds, neverAnswers, planOf, REQUEST, rig } from '../rig.ts';

const WORK = planOf([{ id: 's1', tool: 'work' }]);

/** A store file in a folder of its own, and the processes on it. */
export interface SharedFile {
  open(name: string, options: RigOptions): Rig;
  /** Changes the file as a program with write access would. */
  edit(sql: string): void;
  remove(): void;
}

export function sharedFile(): SharedFile {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-damaged-'));
  const path = join(folder, 'run.db');
  return {
    open: (name, options) => {
      const ids = countingIds();
      const world = {
        journal: sqliteJournal({ path, hash: sha256 }),
        ids: { next: (prefix: string) => ids.next(`${prefix}_${name}`) },
      };
      return rig({ ...options, world });
    },
    edit: (sql) => {
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const FRAMES = "where sid = (select sid from sessions where session_id = 'run_first_2')";
const LAST = "where row = (select last_row from sessions where session_id = 'run_first_2')";
const ROW = "where session_id = 'run_first_2'";

const HUGE = '9223372036854775807';
const BOMB = zstdCompressSync(Buffer.alloc(300_000_000)).toString('hex');

/** The ways in which a program with write access makes `run_first_2` unreadable. */
export const DAMAGE: Readonly<Record<string, string>> = {
  'frames with another content': `update frames set events = '[]' ${FRAMES}`,
  'a frame that is no JSON': `update frames set events = 'junk' ${FRAMES}`,
  'a frame that cannot be unpacked': `update frames set events = x'00ff00' ${FRAMES}`,
  'a frame that is gone': `delete from frames ${LAST}`,
  'no frames at all': `delete from frames ${FRAMES}`,
  'a frame of another time': `update frames set at = at + 1 ${LAST}`,
  'a frame of another writer': `update frames set writer = 'mallory' ${LAST}`,
  'a frame with another number': `update frames set seq = 7 ${LAST}`,
  'a chain that leads elsewhere': `update frames set before = 1 ${LAST}`,
  'another head': `update sessions set head_hash = 'sha256:00' ${ROW}`,
  'another length': `update sessions set seq = 99 ${ROW}`,
  'a time that is no safe number': `update sessions set updated_at = ${HUGE} ${ROW}`,
  'a length that is no safe number': `update sessions set seq = ${HUGE} ${ROW}`,
  'a deadline that is no safe number': `update sessions set wake_at = -${HUGE} ${ROW}`,
  'a frame whose time is no safe number': `update frames set at = ${HUGE} ${LAST}`,
  'a frame that unpacks to 300 MB': `update frames set events = x'${BOMB}' ${LAST}`,
};

/** The ways in which its row no longer fits its frames, which themselves can be read. */
export const ROW_DAMAGE: Readonly<Record<string, string>> = {
  'a status that is none': `update sessions set status = 'dancing' ${ROW}`,
  'a terminal code that is none': `update sessions set terminal_code = 'JUNK' ${ROW}`,
  'the end of another run': `update sessions set terminal_code = 'SUCCESS' ${ROW}`,
  'another tenant': `update sessions set tenant_id = 'tenant_z' ${ROW}`,
};

/** Opens a process on the damaged store, at a time when the lease of the dead process has expired. */
export async function threeSessions({ open, edit }: SharedFile, damage: string): Promise<Rig> {
  const tool = { produces: ['done'] };
  const first = open('first', { tools: { work: { ...tool, execute: neverAnswers } }, plans: [WORK, WORK, WORK] });
  for (const count of [1, 2, 3]) {
    void first.runtime.invoke({ ...REQUEST });
    while (first.dispatches.length < count) await passTurns(1);
  }
  edit(damage);
  const later = open('later', { tools: { work: tool }, plans: [] });
  later.clock.advanceTo(first.clock.nowMs() + 31_000);
  return later;
}

interface ServedStore {
  readonly told: readonly string[];
  readonly failed: readonly string[];
  readonly served: unknown;
}

/** Serves until two sessions have completed and one was told. A callback that throws replaces the usual ones. */
export async function serveThree(later: Rig, callback?: () => unknown): Promise<ServedStore> {
  const stop = new AbortController();
  const told: string[] = [];
  const failed: string[] = [];
  const tell =
    (list: string[]) =>
    (session: string): unknown => {
      list.push(session);
      return callback?.();
    };
  const serving = later.runtime.serve({ signal: stop.signal, failed: tell(failed), quarantined: tell(told) });
  const isDone = async (): Promise<boolean> =>
    (await later.journal.list({ statuses: ['completed'] })).length === 2 && told.length > 0;
  for (let turns = 0; turns < 2_000 && !(await isDone()); turns += 1) await passTurns(1);
  later.clock.advanceTo(later.clock.nowMs() + 10_000);
  await passTurns(50);
  stop.abort();
  return { told, failed, served: await later.settle(serving) };
}
