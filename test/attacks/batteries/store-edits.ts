import { deepEqual, equal, match, notDeepEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { keyTools } from '../../../src/approvals.ts';
import type { StandingGrant } from '../../../src/model/gate/grant.ts';
import { storeTools } from '../../../src/store.ts';
import { type Cell, changeByte, noticed } from '../../store/alter.ts';
import { allCells } from '../../store/alterations.ts';
import { addPermission } from '../../store/forge.ts';
import { laterRig } from '../../store/small-store.ts';
import { attack, type Battery } from '../battery.ts';
import { edited, overStore } from '../over-store.ts';
import { CUT_PERMISSIONS } from './cut-permissions.ts';

/** Edits that hand out permissions, move runs or hide traces, each in one statement. */
const EDITS: Readonly<Record<string, string>> = {
  'a run is handed to another tenant': "update sessions set tenant_id = 'tenant_b' where session_id = 'run_1'",
  'a run is handed to another agent': "update sessions set agent = 'other' where session_id = 'run_1'",
  'a run is put in another thread':
    "update sessions set thread = 'th_2', thread_user = 'eve' where session_id = 'run_1'",
  'a run that waits is marked as ended': "update sessions set terminal_code = 'SUCCESS' where session_id = 'run_3'",
  'a run that waits is never woken': "update sessions set wake_at = null where session_id = 'run_3'",
  'a gate is approved': "update gates set status = 'approved' where session_id = 'run_3'",
  'a gate never expires': "update gates set expires_at = expires_at + 1000000000 where session_id = 'run_3'",
  'a gate shows another packet': `update gates set packet_hash = 'sha256:${'0'.repeat(64)}' where session_id = 'run_3'`,
  'a gate is deleted': "delete from gates where session_id = 'run_3'",
  'a used approval is deleted': "delete from grant_uses where session_id = 'run_2'",
  'a used approval is moved': "update grant_uses set step_id = 's2' where session_id = 'run_2'",
  'the cap of a standing grant is raised':
    'update permissions set record = replace(record, \'"uses_max":3\', \'"uses_max":9\')',
  'the use of a standing grant is deleted': "delete from permissions where record like '%grant_used%'",
  'a revocation is deleted': "delete from permissions where record like '%grant_revoked%'",
  'a kill switch is deleted': "delete from permissions where record like '%switch_thrown%'",
  'the last permission record is deleted': 'delete from permissions where row = (select max(row) from permissions)',
  'a kill switch is given another scope': "update permissions set record = replace(record, 'tenant_z', 'tenant_y')",
  'frames are deleted and the run is marked as pruned':
    "delete from frames where sid = (select sid from sessions where session_id = 'run_3'); update sessions set last_row = 0 where session_id = 'run_3'",
  'a run is deleted': "delete from sessions where session_id = 'run_3'; delete from gates where session_id = 'run_3'",
  'a text that people were shown is deleted':
    "delete from blobs where address = (select packet_hash from gates where session_id = 'run_3')",
  'the decision record of a pruned run is deleted':
    "delete from blobs where address = (select json_extract(record, '$.pruning.record') from permissions where record like '%session_pruned%')",
  'the gate of a pruned run is changed': "update gates set name = 'GATE_OTHER' where session_id = 'run_4'",
  'a trigger deletes kill switches':
    "create trigger helper after insert on frames begin delete from permissions where record like '%switch%'; end",
  'a view stands beside the tables': 'create view helpers as select * from sessions',
  'a table stands beside the tables': 'create table helpers (id integer)',
  'an index is dropped': 'drop index gates_by_session',
};

const edits = overStore(
  'an edit of a row, of the schema or of a record is found',
  async ({ attempt }, folder, original) => {
    for (const [name, sql] of Object.entries(EDITS)) {
      await attempt(name, () => {
        const copy = edited(folder, original, sql);
        let problems: readonly unknown[] = [];
        try {
          ({ problems } = storeTools.check(copy));
        } catch (error) {
          problems = [error];
        }
        notDeepEqual(problems, []);
      });
    }
  },
);

/** One value per column of each table. */
function oneOfEach(cells: readonly Cell[]): readonly Cell[] {
  const first = new Map<string, Cell>();
  for (const cell of cells) if (cell.row[cell.column] !== null) first.set(`${cell.table}.${cell.column}`, cell);
  return [...first.values()];
}

const columns = overStore('a changed byte of any column is found', async ({ attempt }, folder, original) => {
  const copy = join(folder, 'column.db');
  for (const cell of oneOfEach(allCells(original)))
    await attempt(`${cell.table}.${cell.column}`, async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
      if (changeByte(original.path, copy, cell, 0)) equal(await noticed(original, copy), 'found');
    });
});

const GRANT = {
  kind: 'standing',
  grant_id: 'grant_forged',
  tenant_id: 'tenant_a',
  tool: 'pay',
  arguments: { to: { any: true } },
  uses_max: 99,
  microusd_max: 1_000_000,
  reason: 'none',
  approver: 'lead_1',
  granted_at: 1,
  expires_at: 4_000_000_000_000,
  proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] },
} as const satisfies StandingGrant;

const KEY = keyTools.newPair();

const forged = overStore(
  'a permission that the anchor key did not sign permits nothing',
  async ({ attempt }, folder, original) => {
    const openKeyed = (path: string): ReturnType<typeof sqliteJournal> =>
      sqliteJournal({ path, hash: sha256, anchorKey: KEY });
    for (const [signed, signer] of [
      ['unsigned', null],
      ['signed by another key', keyTools.newPair()],
    ] as const) {
      await attempt(`a grant, ${signed}: the run waits at its gate`, async () => {
        const copy = edited(folder, original, '');
        addPermission(copy, { kind: 'grant_given', grant: GRANT }, signer);
        const journal = openKeyed(copy);
        const bench = laterRig(journal, 'eve');
        const outcome = await bench.invoke();
        deepEqual([outcome.status, bench.dispatches.length], ['awaiting_gate', 0]);
        await journal.close();
        match(JSON.stringify(storeTools.check(copy, { publicKey: KEY.publicKey }).problems), /signed/);
      });
      await attempt(`a lift, ${signed}: the kill switch holds`, async () => {
        const copy = edited(folder, original, '');
        const lifted = { by: 'eve', reason: 'none', at: 1 };
        addPermission(copy, { kind: 'switch_lifted', switch_id: 'switch_2', lifted }, signer);
        const journal = openKeyed(copy);
        equal((await journal.killSwitches()).find(({ switch_id }) => switch_id === 'switch_2')?.lifted, null);
        await journal.close();
        match(JSON.stringify(storeTools.check(copy, { publicKey: KEY.publicKey }).problems), /signed/);
      });
    }
    await attempt('the signatures of all records are removed', () => {
      const copy = edited(folder, original, 'update permissions set signer = null, signature = null');
      notDeepEqual(storeTools.check(copy, { publicKey: KEY.publicKey }).problems, []);
      equal(storeTools.check(copy).permissions.unsigned, storeTools.check(copy).permissions.records);
    });
    await attempt('a changed record stops every intent', async () => {
      const copy = edited(folder, original, "update permissions set record = replace(record, 'tenant_z', 'tenant_y')");
      const journal = openKeyed(copy);
      const bench = laterRig(journal, 'team_2');
      await bench.invoke().then(
        () => Promise.reject(new Error('it went on')),
        (error: unknown) => equal((error as { code?: string }).code, 'store_corrupt'),
      );
      equal(bench.dispatches.length, 0);
      await journal.close();
    });
  },
  KEY,
);

const anchors = overStore(
  'signed anchors do not accept deleted evidence',
  async ({ attempt }, folder, original) => {
    const made = storeTools.anchor(original.path, { now: 1, key: KEY });
    const verdictOf = (path: string): ReturnType<typeof storeTools.verifyAnchors> =>
      storeTools.verifyAnchors(path, made, KEY.publicKey);
    const prunedBySql = (session: string): string =>
      `delete from frames where sid = (select sid from sessions where session_id = '${session}'); update sessions set last_row = 0 where session_id = '${session}'`;
    await attempt('an unchanged store is accepted', () => equal(verdictOf(original.path).ok, true));
    await attempt('a run at its gate is marked as pruned', () =>
      equal(verdictOf(edited(folder, original, prunedBySql('run_3'))).ok, false),
    );
    await attempt('an unsigned pruning is recorded', () => {
      const copy = edited(folder, original, prunedBySql('run_1'));
      addPermission(copy, pruningFor(copy, 'run_1'), null);
      const { ok, findings } = verdictOf(copy);
      equal(ok, false);
      equal(findings.find(({ session_id }) => session_id === 'run_1')?.verdict, 'damaged');
    });
    await attempt('a store is pruned without its key', () => {
      const copy = edited(folder, original, '');
      storeTools.prune(copy, { tenant: 'tenant_a', olderThanMs: 0, now: 4_000_000_000_000 });
      equal(verdictOf(copy).ok, false);
    });
    await attempt('a store is pruned with its key, which is no attack', () => {
      const copy = edited(folder, original, '');
      storeTools.prune(copy, { tenant: 'tenant_a', olderThanMs: 0, now: 4_000_000_000_000, key: KEY });
      equal(verdictOf(copy).ok, true);
    });
    await attempt('the last permission records are deleted consistently', () => {
      const copy = edited(
        folder,
        original,
        'delete from permissions where row > 3; update permission_head set count = 3, hash = (select hash from permissions where row = 3)',
      );
      equal(verdictOf(copy).permissions.verdict, 'truncated');
      equal(verdictOf(copy).ok, false);
    });
  },
  KEY,
);

function pruningFor(path: string, session: string): Parameters<typeof addPermission>[1] {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare('select sid, seq, head_hash from sessions where session_id = ?').get(session);
  db.close();
  const { sid, seq, head_hash } = row as unknown as { sid: number; seq: number; head_hash: `sha256:${string}` };
  const why = { reason: 'none', at: 1, older_than_ms: 0, record: null, kept: `sha256:${'0'.repeat(64)}` as const };
  return {
    kind: 'session_pruned',
    pruning: { session_id: session, tenant_id: 'tenant_a', sid, seq, head_hash, ...why },
  };
}

const replaced = attack('a file that is deleted under a run stops it before its next intent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-attack-'));
  const path = join(folder, 'store.db');
  const journal = sqliteJournal({ path, hash: sha256 });
  const bench = laterRig(journal, 'bo');
  rmSync(path);
  await bench.invoke().then(
    () => Promise.reject(new Error('it went on')),
    (error: unknown) => equal((error as { code?: string }).code, 'store_replaced'),
  );
  equal(bench.dispatches.length, 0);
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

export const storeEdits: Battery = {
  name: 'store edits',
  attacks: [edits, columns, forged, anchors, replaced, ...CUT_PERMISSIONS],
};
