/** Files: only inside the workspace, with a diff before a write and a hash check after it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { approve, type Called, expectDenied, expectGate, expectSent, invokeCall, type Tool } from './bench.ts';

const ID = 'toolpolicy:filesystem:path-allowlist-and-diff';

const home = mkdtempSync(join(tmpdir(), 'ambit-files-'));
const root = join(home, 'workspace');
for (const folder of ['notes', 'shared', 'private']) mkdirSync(join(root, folder), { recursive: true });
writeFileSync(join(home, 'secret.txt'), 'outside');
writeFileSync(join(root, 'notes/a.txt'), 'one\ntwo\nthree');
symlinkSync(home, join(root, 'notes/out'));
symlinkSync(join(home, 'not-there-yet'), join(root, 'notes/dangling'));
symlinkSync(join(root, 'private'), join(root, 'notes/in'));
mkdirSync(join(root, 'sub'));
symlinkSync(root, join(root, 'sub/self'));
afterAll(() => rmSync(home, { recursive: true }));

const RULES: JsonObject = {
  root,
  allow: ['notes', 'shared'],
  remote: ['shared'],
  paths: ['/path', '/to'],
  operation: { at: '/op', read: ['read'], write: ['write'] },
  content: '/content',
  written_hash: '/sha256',
};

const files = (params: JsonObject, tool: Tool = {}): Promise<Called> =>
  invokeCall(
    {
      category: 'file_system',
      rules: RULES,
      execute: ({ content }) => ({ sha256: sha256(String(content)) }),
      ...tool,
    },
    params,
  );

verifies(ID, 'sends a read and a write of one file inside', async () => {
  expectSent(await files({ op: 'read', path: 'notes/a.txt' }));
  expectSent(await files({ op: 'write', path: 'notes/new.txt', content: 'fresh' }));
});

for (const path of [
  '../secret.txt',
  'notes/../../secret.txt',
  'notes/out/secret.txt',
  'notes/out',
  'notes/dangling',
  'notes/in/x.txt',
  'private/x.txt',
  '/etc/passwd',
  '~/x',
  'C:/x',
  'notes\\..\\..\\secret.txt',
  'notes/\u0000/a.txt',
  'notes/a.txt\u0000.png',
  'notes/．．/．．/secret.txt',
  'notes/\u202etxt.a',
  'notes/\u200b..',
  'notes/%2e%2e/%2e%2e/secret.txt',
  'notes/.. /x',
  'notes//a.txt',
  '',
]) {
  verifies(ID, `rejects ${JSON.stringify(path)}`, async () => {
    expectDenied(await files({ op: 'read', path }));
    expectDenied(await files({ op: 'read', path: 'notes/a.txt', to: path }));
  });
}

verifies(ID, 'other operations, and broad or remote writes, need approval', async () => {
  await expectGate(await files({ op: 'delete', path: 'notes/a.txt' }), 'GATE_FILE_CHANGE');
  await expectGate(await files({ op: 'READ', path: 'notes/a.txt' }), 'GATE_FILE_CHANGE');
  await expectGate(await files({ op: 'write', path: 'notes/*', content: 'x' }), 'GATE_FILE_CHANGE');
  for (const path of ['.', './.', '././.', 'sub', 'sub/.', './sub/./.', 'sub/self']) {
    const called = await files({ op: 'write', path, content: 'x' }, { rules: { ...RULES, allow: ['.'] } });
    await expectGate(called, 'GATE_FILE_CHANGE');
  }
  expectSent(
    await files({ op: 'write', path: './sub/./a.txt', content: 'x' }, { rules: { ...RULES, allow: ['./sub/.'] } }),
  );
  await expectGate(
    await files({ op: 'write', path: ['notes/a.txt', 'notes/b.txt'], content: 'x' }),
    'GATE_FILE_CHANGE',
  );
  await expectGate(await files({ op: 'write', path: 'shared/a.txt', content: 'x' }), 'GATE_FILE_CHANGE');
});

verifies(ID, 'the packet of a write shows the diff', async () => {
  const called = await files({ op: 'overwrite', path: 'notes/a.txt', content: 'one\n2\nthree' });
  const packet = await expectGate(called, 'GATE_FILE_CHANGE');
  const before = [`sha256:${sha256('one\ntwo\nthree')}`];
  expect(packet['preview']).toEqual({ paths: ['notes/a.txt'], before, diff: ['@@ line 2 @@', '-two', '+2'] });
  expect(await approve(called)).toMatchObject({ terminalCode: 'SUCCESS' });
});

verifies(ID, 'a file that changed after the approval is shown and needs approval again', async () => {
  const path = join(root, 'notes/moving.txt');
  writeFileSync(path, 'one\ntwo');
  const called = await files({ op: 'overwrite', path: 'notes/moving.txt', content: 'one\n2' });
  await expectGate(called, 'GATE_FILE_CHANGE');
  writeFileSync(path, 'one\ntwo\nan unseen line');
  const again = { bench: called.bench, outcome: await approve(called) };
  const packet = await expectGate(again, 'GATE_FILE_CHANGE');
  expect(packet['preview']).toMatchObject({ diff: expect.arrayContaining(['-an unseen line']) });
  expect(await approve(again)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(called.bench.dispatches).toHaveLength(1);
  await called.bench.runtime.records.replay(called.outcome.runId);
});

const long = (changed: number): string =>
  Array.from({ length: 500 }, (_, n) => (n === changed ? 'an unseen line' : `line ${n}`)).join('\n');
const huge = (first: string): string => first + 'x'.repeat(2_000_000);

for (const [what, params, file, text, other] of [
  ['beyond the shown lines', { path: 'notes/m.txt' }, 'm.txt', long(-1), long(400)],
  ['in one of several files', { path: 'notes/a.txt', to: 'notes/m.txt' }, 'm.txt', 'one', 'two'],
  ['in a file too large to be shown', { path: 'notes/m.txt' }, 'm.txt', huge('a'), huge('b')],
  ['by being created', { path: 'notes/none.txt' }, 'none.txt', null, ''],
] as const) {
  verifies(ID, `a file that changed after the approval, ${what}, needs approval again`, async () => {
    const path = join(root, 'notes', file);
    if (text !== null) writeFileSync(path, text);
    const called = await files({ op: 'overwrite', content: 'fresh', ...params });
    await expectGate(called, 'GATE_FILE_CHANGE');
    writeFileSync(path, other);
    const again = { bench: called.bench, outcome: await approve(called) };
    await expectGate(again, 'GATE_FILE_CHANGE');
    expect(await approve(again)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(called.bench.dispatches).toHaveLength(1);
    await called.bench.runtime.records.replay(called.outcome.runId);
  });
}

verifies(ID, 'a file with a hash other than the written content is no success', async () => {
  const { bench, outcome } = await files(
    { op: 'write', path: 'notes/b.txt', content: 'asked for' },
    { execute: () => ({ sha256: sha256('something else') }) },
  );
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  const events = await bench.events(outcome.runId);
  expect(events.find(({ type }) => type === 'step_verified')).toMatchObject({ ok: false, validator: 'file_system@1' });
  expect(events.some(({ type }) => type === 'step_committed')).toBe(false);
  await bench.runtime.records.replay(outcome.runId);
});
