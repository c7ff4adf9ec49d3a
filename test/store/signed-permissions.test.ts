/** A store with an anchor key signs its permission records, and lets no others permit anything. */
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { keyTools, openJournal, storeTools } from '../../src/compose.ts';
import type { StandingGrant } from '../../src/model/gate/grant.ts';
import type { KeyPair } from '../../src/ports/keys.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { addPermission } from './forge.ts';

const GRANT: StandingGrant = {
  kind: 'standing',
  grant_id: 'grant_1',
  tenant_id: 'tenant_a',
  tool: 'pay',
  arguments: {},
  uses_max: 2,
  microusd_max: 1_000,
  reason: 'small payments',
  approver: 'lead_1',
  granted_at: 1,
  expires_at: 4_000_000_000_000,
  proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] },
};

const THROWN = {
  switch_id: 'switch_1',
  scope: { tool: 'pay' },
  thrown: { by: 'ana', reason: 'stop', at: 1 },
  lifted: null,
};

/** A file, and its key in a key file next to it. */
function keyedStore(): { readonly path: string; readonly key: KeyPair; readonly keyFile: string } {
  const path = freshFile();
  const key = keyTools.newPair();
  const keyFile = `${path}.key.json`;
  const file = { key_id: 'store_1', approver: 'store', private_key: key.privateKey };
  writeFileSync(keyFile, JSON.stringify(file), { mode: 0o600 });
  return { path, key, keyFile };
}

test.each(['', 'writer=thread&'])(
  'signs what is recorded under sqlite:<file>?%sanchor_key=<key file>',
  async (writer) => {
    const { path, key, keyFile } = keyedStore();
    const journal = openJournal(`sqlite:${path}?${writer}anchor_key=${keyFile}`);
    await journal.giveGrant(GRANT);
    await journal.throwSwitch({ ...THROWN, scope: { tool: 'refund' } });
    const use = { grant_id: 'grant_1', session_id: 'sess_1', step_id: 's1', used_at: 2, microusd: 10 };
    await journal.append(draft(sha256, { rows: { standing: [use] } }));
    expect(await journal.standingUses('grant_1')).toEqual([use]);
    await journal.close();
    expect(storeTools.check(path, { publicKey: key.publicKey })).toMatchObject({
      permissions: { records: 3, unsigned: 0 },
      unsigned_frames: 0,
      problems: [],
    });
    const other = keyTools.newPair().publicKey;
    expect(storeTools.check(path, { publicKey: other }).problems.map(({ place }) => place)).toEqual([
      '/permissions/2',
      '/permissions/3',
      '/permissions/4',
      '/sessions/sess_1/frames/1',
    ]);
  },
);

test('without a key, the records are reported as unsigned', async () => {
  const path = freshFile();
  const journal = openJournal(`sqlite:${path}`);
  await journal.giveGrant(GRANT);
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ permissions: { records: 1, unsigned: 1 }, problems: [] });
});

test('a forged restriction counts, and a forged permission does not', async () => {
  const { path, keyFile } = keyedStore();
  const keyed = openJournal(`sqlite:${path}?anchor_key=${keyFile}`);
  await keyed.giveGrant(GRANT);
  addPermission(path, { kind: 'switch_thrown', thrown: THROWN }, null);
  addPermission(
    path,
    { kind: 'switch_lifted', switch_id: 'switch_1', lifted: { by: 'eve', reason: 'x', at: 2 } },
    null,
  );
  addPermission(path, { kind: 'grant_given', grant: { ...GRANT, grant_id: 'grant_2' } }, keyTools.newPair());
  addPermission(path, { kind: 'grant_revoked', grant_id: 'grant_1', revoked: { by: 'eve', reason: 'x', at: 2 } }, null);
  expect(await keyed.killSwitches()).toEqual([THROWN]);
  expect((await keyed.standingGrants()).map(({ grant, revoked }) => [grant.grant_id, revoked?.by])).toEqual([
    ['grant_1', 'eve'],
  ]);
  await keyed.close();
});

test('a changed record, a missing head and a key file without a key are faults', async () => {
  const path = freshFile();
  const journal = openJournal(`sqlite:${path}`);
  await journal.giveGrant(GRANT);
  await journal.close();
  const db = new DatabaseSync(path);
  db.exec('update permissions set record = replace(record, \'"uses_max":2\', \'"uses_max":9\')');
  db.close();
  const altered = openJournal(`sqlite:${path}`);
  await expect(altered.standingGrants()).rejects.toMatchObject({ code: 'store_corrupt', path: '/permissions/2' });
  await altered.close();
  const keyFile = `${path}.key.json`;
  writeFileSync(keyFile, '{}');
  expect(() => openJournal(`sqlite:${path}?anchor_key=${keyFile}`)).toThrow('is not a key file');
});

test('a session without frames is damage unless a record says that it was pruned', async () => {
  const path = freshFile();
  const journal = openJournal(`sqlite:${path}`);
  await journal.append(draft(sha256));
  await journal.close();
  const db = new DatabaseSync(path);
  db.exec('delete from frames; update sessions set last_row = 0');
  db.close();
  const reopened = openJournal(`sqlite:${path}`);
  await expect(reopened.load('sess_1')).rejects.toMatchObject({ code: 'store_corrupt' });
  await expect(reopened.first('sess_1')).rejects.toMatchObject({ code: 'store_corrupt' });
  await reopened.close();
  expect(storeTools.check(path).problems).toEqual([
    { place: '/sessions/sess_1', message: 'its frames are missing, and no record says that they were pruned' },
  ]);
});
