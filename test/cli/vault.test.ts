/** Vault commands: list, history, reveal and erase. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund the order', '--input', 'order_id=ord_881'];
const ANA = ['--as', 'ana', '--role', 'operator'];

let project: Project;

/** Uses the template with a sealed order id. */
beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  expect(project.ambit('vault', 'list')).toMatchObject({ exit: 2, err: expect.stringContaining('vaults.inFile(') });
  const change = (file: string, from: string | RegExp, to: string): void => {
    const before = project.read(file);
    const after = before.replaceAll(from, to);
    if (after === before) throw new Error(`${file} does not contain ${from}`);
    project.write(file, after);
  };
  change(
    'ambit.config.ts',
    "import { defineConfig } from 'ambit';",
    "import { defineConfig } from 'ambit';\nimport { vaults } from 'ambit/store';",
  );
  change(
    'ambit.config.ts',
    '  world: {',
    "  world: {\n    vault: vaults.inFile('vault.db', { masterKey: { file: 'vault.key' } }),",
  );
  project.write('vault.key', Buffer.alloc(32, 7).toString('base64'));
  chmodSync(join(project.folder, 'vault.key'), 0o600);
  change(
    'src/support.ts',
    "trustedInputs: { order_id: 'id' } }",
    "trustedInputs: { order_id: 'id' }, sealedInputs: ['/order_id'] }",
  );
  const order = (kinds: string): string => `privacy: { ${kinds} } }`;
  change(
    'src/shop.ts',
    "'summarize_account' }",
    `'summarize_account', ${order("opens: ['/order_id'], seals: ['/order_id']")}`,
  );
  change('src/shop.ts', "'refund' }", `'refund', ${order("opens: ['/order_id']")}`);
}, SLOW);
afterAll(() => project.remove());

test('an approver reveals a value, the history records it, and erase destroys it', { timeout: SLOW }, () => {
  expect(project.ambit('vault', 'list')).toMatchObject({ exit: 0, out: 'No sealed values.\n' });
  const waiting = project.json<RunOutcome>(...RUN);
  const gateId = waiting.pending[0]?.gateId ?? '';
  const [handle = ''] = /sealed:v1:[0-9a-f]{64}/.exec(project.ambit('gates', 'show', gateId).out) ?? [];
  expect(project.json('vault', 'list')).toEqual([{ tenant_id: 'shop', has_key: true, values: 1, erased_at: null }]);

  const reveal = ['vault', 'reveal', gateId, handle];
  expect(project.ambit(...reveal)).toMatchObject({ exit: 3, out: '' });
  expect(project.ambit(...reveal, '--as', 'cy')).toMatchObject({ exit: 3, out: '' });
  expect(project.ambit(...reveal, '--as', 'bo', '--role', 'finance')).toMatchObject({ exit: 0, out: 'ord_881\n' });
  expect(project.json('vault', 'history', 'shop')).toMatchObject({
    erasures: [],
    looks: [{ handle, gate_id: gateId, by: 'bo' }],
  });

  const erase = ['vault', 'erase', 'shop', '--reason', 'the contract has ended'];
  expect(project.ambit(...erase, ...ANA)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('erasing cannot be undone: confirm with --yes'),
  });
  expect(project.ambit(...erase, '--yes', '--as', 'bo')).toMatchObject({ exit: 3, out: '' });
  expect(project.ambit('vault', 'erase', 'shop', '--yes', ...ANA)).toMatchObject({ exit: 2, out: '' });
  expect(project.ambit(...erase, '--yes', ...ANA)).toMatchObject({
    exit: 0,
    out: '✓ destroyed the key of shop; its runs can still be replayed\n',
  });
  expect(project.ambit('vault', 'list').out).toMatch(/shop +no key +\d{4}-/);
  expect(project.ambit('vault', 'history', 'shop').out).toMatch(/revealed +bo.*\n.*erased +ana +- +the contract/);
  expect(project.ambit(...reveal, '--as', 'bo', '--role', 'finance').exit).not.toBe(0);
  expect(project.ambit(...erase, '--yes', ...ANA).exit).not.toBe(0);
  expect(project.ambit('replay', waiting.runId).exit).toBe(0);
});
