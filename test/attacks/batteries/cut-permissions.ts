import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { keyTools } from '../../../src/approvals.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { storeTools } from '../../../src/store.ts';
import { operator } from '../../runs/rig.ts';
import { buildSmallStore, laterRig } from '../../store/small-store.ts';
import type { Attack } from '../battery.ts';
import { edited, overStore } from '../over-store.ts';

const KEY = keyTools.newPair();

const openStore = (path: string): Journal => sqliteJournal({ path, hash: sha256 });
const openSigned = (path: string): Journal => sqliteJournal({ path, hash: sha256, anchorKey: KEY, signedFrames: true });

/** Removes the last kill switch and the records after it, and sets the head back. */
const CUT = `
delete from permissions where row >= (select max(row) from permissions where record like '%switch_thrown%');
update permission_head set count = (select max(row) from permissions),
  hash = (select hash from permissions order by row desc limit 1);`;

/** Makes the frames name the last record that is left. */
const FRAMES_TOO = `
update frames set permissions = (select count || ':' || substr(hash, 8, 16) from permission_head)
where cast(permissions as integer) > (select count from permission_head);`;

const problemsOf = (path: string, publicKey?: string): string =>
  JSON.stringify(storeTools.check(path, publicKey === undefined ? {} : { publicKey }).problems);

/** Requires that a run which a standing grant would permit sends nothing. */
async function refusesIntents(journal: Journal, message: RegExp): Promise<void> {
  const bench = laterRig(journal, 'team_2');
  await rejects(bench.invoke(), { code: 'store_corrupt', message });
  equal(bench.dispatches.length, 0);
  await journal.close();
}

const cutTail = overStore(
  'a cut end of the permissions is found',
  async ({ attempt }, folder, original) => {
    await attempt('the last kill switch is removed: the check finds frames that follow it', () => {
      match(problemsOf(edited(folder, original, CUT)), /follows permission record \d+, which was cut off/);
    });
    await attempt('the last kill switch is removed: the next process sends nothing', async () => {
      const journal = openStore(edited(folder, original, CUT));
      await refusesIntents(journal, /permission record \d+: was cut off/);
    });
    await attempt('the frames are set back too: their signatures do not fit', () => {
      match(problemsOf(edited(folder, original, `${CUT} ${FRAMES_TOO}`)), /signature that does not fit/);
    });
    await attempt('the signatures are removed too: they are missing', () => {
      const copy = edited(folder, original, `${CUT} ${FRAMES_TOO} update frames set signature = null`);
      match(problemsOf(copy, KEY.publicKey), /is not signed/);
    });
    await attempt('a switch is removed under a process: its next run sends nothing', async () => {
      const copy = edited(folder, original, '');
      const journal = openStore(copy);
      await journal.killSwitches();
      const db = new DatabaseSync(copy);
      db.exec(CUT);
      db.close();
      await refusesIntents(journal, /permission record \d+: was cut off/);
    });
    await attempt('the permissions of another store of the same key are copied in', async () => {
      const other = join(folder, 'other.db');
      await buildSmallStore(other, KEY);
      const copy = edited(
        folder,
        original,
        `attach '${other}' as other; delete from permissions; insert into permissions select * from other.permissions;
         delete from permission_head; insert into permission_head select * from other.permission_head;`,
      );
      match(problemsOf(copy), /which was replaced/);
      await refusesIntents(openSigned(copy), /permission record \d+: was replaced/);
    });
    await attempt('the records of another store are added to the chain', () => {
      const copy = edited(
        folder,
        original,
        `insert into permissions select row + 100, record, hash, signer, signature from permissions where row = 2`,
      );
      match(problemsOf(copy), /missing or out of order/);
    });
  },
  KEY,
);

/** Tries to approve the call of a waiting run in a process that requires signatures. */
async function approveSigned(path: string, runId: string): Promise<readonly [code: unknown, sent: number]> {
  const journal = openSigned(path);
  const bench = laterRig(journal, 'bo');
  const [gate] = await journal.gates({ session: runId });
  const { gate_id = '', packet_hash = 'sha256:' } = gate ?? {};
  const decision = { packetHash: packet_hash, credential: operator('ana'), reason: 'fine' };
  const code = await bench.settle(bench.runtime.approve(gate_id, decision)).then(
    ({ terminalCode }) => terminalCode,
    (error: unknown) => (error as { code?: unknown }).code,
  );
  const sent = bench.dispatches.length;
  await journal.close();
  return [code, sent];
}

const unsigned = overStore(
  'a run that the key of the store did not sign sends nothing',
  async ({ attempt }, folder, original) => {
    await attempt('a signed run goes on, which is no attack', async () => {
      deepEqual(await approveSigned(edited(folder, original, ''), 'run_3'), ['SUCCESS', 1]);
    });
    await attempt('a process without the key starts a run', async () => {
      const copy = edited(folder, original, '');
      const journal = openStore(copy);
      const waiting = await laterRig(journal, 'bo').invoke();
      await journal.close();
      deepEqual(await approveSigned(copy, waiting.runId), ['run_unsigned', 0]);
    });
    await attempt('a process with another key starts a run', async () => {
      const copy = edited(folder, original, '');
      const journal = sqliteJournal({ path: copy, hash: sha256, anchorKey: keyTools.newPair(), signedFrames: true });
      const waiting = await laterRig(journal, 'bo').invoke();
      await journal.close();
      deepEqual(await approveSigned(copy, waiting.runId), ['run_unsigned', 0]);
    });
    await attempt('a process without the key writes into a signed run', async () => {
      const copy = edited(folder, original, '');
      const journal = openStore(copy);
      const { runtime } = laterRig(journal, 'bo');
      await runtime.sessions.extendBudget('run_3', {
        delta: { tool_calls: 1 },
        reason: 'more',
        credential: operator('ops'),
      });
      await journal.close();
      deepEqual(await approveSigned(copy, 'run_3'), ['run_unsigned', 0]);
    });
    for (const [name, sql] of [
      ['removed', 'update frames set signature = null'],
      ['copied from another frame', 'update frames set signature = (select signature from frames where row = 1)'],
      ['garbage', "update frames set signature = '!'"],
    ] as const)
      await attempt(`the signatures are ${name}`, async () => {
        deepEqual(await approveSigned(edited(folder, original, sql), 'run_3'), ['run_unsigned', 0]);
      });
    await attempt('the operator can still end an unsigned run', async () => {
      const copy = edited(folder, original, 'update frames set signature = null');
      const journal = openSigned(copy);
      const { runtime } = laterRig(journal, 'bo');
      const ended = await runtime.sessions.terminate('run_3', { reason: 'unsigned', credential: operator('ops') });
      equal(ended.status, 'cancelled');
      await journal.close();
    });
    await attempt('the mark of an imported run is removed', async () => {
      const copy = edited(folder, original, "delete from checkpoint_ids where checkpoint_id = 'imported_run_far'");
      match(problemsOf(copy), /imported_run_far/);
      const db = new DatabaseSync(copy);
      const frames = db
        .prepare('select count(signature) as signed from frames join sessions using (sid) where session_id = ?')
        .get('run_far');
      db.close();
      equal(frames?.['signed'], 0);
    });
  },
  KEY,
);

/** Attacks on the chain of permissions and on the signatures of frames. */
export const CUT_PERMISSIONS: readonly Attack[] = [cutTail, unsigned];
