/** Vault files: private to their owner, and useless without the master key. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type MasterKey, type Vault, type VaultProtection, vaults } from '../../../src/store.ts';
import { masterKeyFile } from './master-key-file.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'ambit-vault-'));

const openVault = (file: string, protection: VaultProtection): Vault => vaults.inFile(file, protection);

/** The plain keys of a vault that was written without a master key. */
function plainKeys(file: string): readonly Buffer[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db
      .prepare('select sealing, naming from keys')
      .all()
      .flatMap(({ sealing, naming }) => [Buffer.from(sealing as Uint8Array), Buffer.from(naming as Uint8Array)]);
  } finally {
    db.close();
  }
}

const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`].map((part) => readFileSync(part, { flag: 'a+' })));

/** Turns a file into one of version 1, which had no master key. */
function downgrade(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('alter table keys drop column master; pragma user_version = 1');
  db.close();
}

describe('a master key', () => {
  test('is required, and the fault names the ways to give one', () => {
    const file = join(newFolder(), 'vault.db');
    delete process.env['AMBIT_VAULT_KEY'];
    for (const protection of [undefined, {}, { masterKey: { env: 'NO_SUCH_KEY' } }]) {
      expect(() => vaults.inFile(file, protection)).toThrow(
        expect.objectContaining({
          code: 'input_missing',
          message: expect.stringMatching(/openssl rand -base64 32.*masterKey.*unprotected: true/),
        }),
      );
    }
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  test.each([
    ['no key', 'nonsense'],
    ['a short key', Buffer.alloc(16, 1).toString('base64')],
    ['nothing', ''],
  ])('of %s is refused', (_, text) => {
    const key = masterKeyFile();
    writeFileSync(key, text);
    expect(() => openVault(join(newFolder(), 'vault.db'), { masterKey: { file: key } })).toThrow(/no master key of 32/);
  });

  test('that others can read is refused with the command that fixes it', () => {
    const key = masterKeyFile();
    chmodSync(key, 0o644);
    expect(() => openVault(join(newFolder(), 'vault.db'), { masterKey: { file: key } })).toThrow(`chmod 600 ${key}`);
  });

  test('opens its vault again, and another one does not', async () => {
    const file = join(newFolder(), 'vault.db');
    const masterKey = { file: masterKeyFile() };
    const first = openVault(file, { masterKey });
    const handle = await first.seal('a', '"x"');
    await first.close();
    expect(() => openVault(file, { masterKey: { file: masterKeyFile() } })).toThrow(/wrapped by the master key local:/);
    expect(() => openVault(file, { unprotected: true })).toThrow(/pass that key as masterKey/);
    const again = openVault(file, { masterKey });
    expect(await again.open('a', handle)).toBe('"x"');
    expect(await again.seal('a', '"x"')).toBe(handle);
    await again.close();
  });

  test('from the environment is used by default', async () => {
    process.env['AMBIT_VAULT_KEY'] = 'ab'.repeat(32);
    try {
      const vault = vaults.inFile(join(newFolder(), 'vault.db'));
      expect(await vault.open('a', await vault.seal('a', '"x"'))).toBe('"x"');
      await vault.close();
    } finally {
      delete process.env['AMBIT_VAULT_KEY'];
    }
  });

  test('binds each key to its tenant', async () => {
    const file = join(newFolder(), 'vault.db');
    const masterKey = { file: masterKeyFile() };
    const vault = openVault(file, { masterKey });
    const handle = await vault.seal('a', '"x"');
    await vault.seal('b', '"y"');
    await vault.close();
    const db = new DatabaseSync(file);
    db.exec("update keys set sealing = (select sealing from keys where tenant_id = 'a') where tenant_id = 'b'");
    db.close();
    const again = openVault(file, { masterKey });
    expect(await again.open('a', handle)).toBe('"x"');
    await expect(again.seal('b', '"z"')).rejects.toMatchObject({ code: 'store_corrupt' });
    await again.close();
  });

  test('of a key service is asked once for each tenant, and its failure is a fault', async () => {
    const asked: string[] = [];
    let fails = false;
    const flip = async (key: Uint8Array, context: string): Promise<Uint8Array> => {
      if (fails) throw new Error('the network is down');
      asked.push(context);
      return key.map((byte) => byte ^ 0xff);
    };
    const service: MasterKey = { id: 'kms:1', wrap: flip, unwrap: flip };
    const file = join(newFolder(), 'vault.db');
    const vault = openVault(file, { masterKey: service });
    const handles = await Promise.all(['"x"', '"y"'].map((text) => vault.seal('a', text)));
    await vault.seal('a', '"z"');
    const before = asked.length;
    expect(await vault.open('a', handles[0] ?? '')).toBe('"x"');
    expect(asked).toHaveLength(before);
    await vault.close();
    fails = true;
    const again = openVault(file, { masterKey: service });
    await expect(again.open('a', handles[0] ?? '')).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: expect.stringContaining('kms:1 did not unwrap'),
    });
    await again.close();
  });
});

describe('a vault of version 1', () => {
  test('opens unprotected as before, and with a master key once its keys are wrapped', async () => {
    const file = join(newFolder(), 'vault.db');
    const old = openVault(file, { unprotected: true });
    const handle = await old.seal('a', '"x"');
    await old.close();
    downgrade(file);
    const keys = plainKeys(file);
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(bytesOf(file).includes(key)).toBe(true);

    const masterKey = { file: masterKeyFile() };
    expect(() => openVault(file, { masterKey })).toThrow(/pass wrapUnprotected: true/);
    const wrapped = openVault(file, { masterKey, wrapUnprotected: true });
    expect(await wrapped.open('a', handle)).toBe('"x"');
    for (const key of keys) expect(bytesOf(file).includes(key)).toBe(false);
    await wrapped.close();
    const again = openVault(file, { masterKey });
    expect(await again.open('a', handle)).toBe('"x"');
    await again.close();
  });

  test('never accepts plain keys that were put into a wrapped file', async () => {
    const file = join(newFolder(), 'vault.db');
    const masterKey = { file: masterKeyFile() };
    const vault = openVault(file, { masterKey });
    await vault.seal('a', '"x"');
    const db = new DatabaseSync(file);
    db.exec("update keys set master = '', sealing = zeroblob(32), naming = zeroblob(32)");
    db.close();
    await expect(vault.seal('a', '"y"')).rejects.toMatchObject({ code: 'store_corrupt' });
    await vault.close();
    expect(() => openVault(file, { masterKey })).toThrow(/no master key protects/);
  });
});

describe('files', () => {
  test('of vault, memory and journal are private with any umask, with their logs, copies and artifacts', () => {
    const folder = newFolder();
    const program = `
      import { vaults, memoryStores, openJournal, storeTools, artifacts } from ${JSON.stringify(join(process.cwd(), 'src/store.ts'))};
      process.umask(0);
      process.chdir(${JSON.stringify(folder)});
      const vault = vaults.inFile('vault.db', { unprotected: true });
      await vault.seal('a', '"x"');
      memoryStores.inFile('memory.db');
      const journal = openJournal('sqlite:journal.db');
      await journal.list({});
      await storeTools.backup('journal.db', 'copy.db');
      await artifacts.inFolder('artifacts').put('sha256:' + '0'.repeat(64), '{}');
      const { readdirSync, statSync } = await import('node:fs');
      const all = readdirSync('.', { recursive: true }).sort();
      console.log(JSON.stringify(all.map((file) => [file, (statSync(file).mode & 0o777).toString(8)])));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    const modes = new Map(JSON.parse(stdout === '' ? `["${stderr}"]` : stdout) as [string, string][]);
    for (const name of ['vault.db', 'vault.db-wal', 'vault.db-shm', 'memory.db', 'journal.db', 'journal.db-wal'])
      expect([...modes.keys()]).toContain(name);
    expect(modes.get('artifacts')).toBe('700');
    modes.delete('artifacts');
    expect([...modes].filter(([, mode]) => mode !== '600')).toEqual([]);
  });

  test('that others can read are a warning with the command that fixes it', () => {
    const file = join(newFolder(), "it's a vault.db");
    writeFileSync(file, '', { mode: 0o644 });
    const program = `
      import { vaults } from ${JSON.stringify(join(process.cwd(), 'src/store.ts'))};
      vaults.inFile(${JSON.stringify(file)}, { unprotected: true });
      vaults.inFile(${JSON.stringify(file)}, { unprotected: true });
    `;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const warnings = stderr.split('\n').filter((line) => line.includes('AMBIT_FILE_READABLE'));
    expect(warnings).toHaveLength(1);
    const [, command = ''] = /: (chmod .*)$/.exec(warnings[0] ?? '') ?? [];
    spawnSync('sh', ['-c', command]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
