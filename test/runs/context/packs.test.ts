/** A context pack is a folder with a name, a version and a content address. Faults name file and line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readPack } from '../../../src/adapters/node/context-pack.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../../src/model/fault/fault.ts';

const HEAD = `pack: ctxpack.bench
version: 1.0.0
defaults:
  permission_scope: all
  observed_at: 1777889000000
  fresh_until: 1777899000000
  trusted: true
  authority: 1
  personal_data: false
`;
const ORDER = 'key: order_1\ntype: order\nsource_id: crm\nvalue:\n  total: 42\n';

function writeFolder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ambit-pack-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'items'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

const readFiles = (files: Readonly<Record<string, string>>) => readPack(writeFolder(files), sha256);

function faultOf(files: Readonly<Record<string, string>>): string {
  try {
    readFiles(files);
    return 'none';
  } catch (error) {
    return Fault.is(error) ? `${error.code} ${error.message}` : String(error);
  }
}

test('reads items from YAML, JSON and Markdown, sorted by file name', () => {
  const pack = readFiles({
    'pack.yaml': HEAD,
    'items/a-order.yaml': ORDER,
    'items/b.json': '{ "key": "policy", "type": "policy", "source_id": "wiki", "value": [1], "trusted": false }',
    'items/c.md': '---\nkey: manual\ntype: manual\nsource_id: wiki\n---\n# How to\n\nRefund slowly.\n',
  });
  expect(pack.pin).toBe('ctxpack.bench@1.0.0');
  expect(pack.items.map(({ key, value, trusted }) => [key, value, trusted])).toEqual([
    ['order_1', { total: 42 }, true],
    ['policy', [1], false],
    ['manual', '# How to\n\nRefund slowly.\n', true],
  ]);
});

test('equal content has equal addresses; different content does not', () => {
  const one = readFiles({ 'pack.yaml': HEAD, 'items/a.yaml': ORDER });
  const spelt = readFiles({
    'pack.yaml': `# note\n${HEAD}`,
    'items/a.json': '{"type":"order","key":"order_1","value":{"total":42},"source_id":"crm"}',
  });
  expect(spelt.address).toBe(one.address);
  expect(readFiles({ 'pack.yaml': HEAD, 'items/a.yaml': ORDER.replace('42', '43') }).address).not.toBe(one.address);
  expect(readFiles({ 'pack.yaml': HEAD.replace('1.0.0', '1.0.1'), 'items/a.yaml': ORDER }).address).not.toBe(
    one.address,
  );
});

describe('reports file and line of', () => {
  test.each([
    ['a missing pack.yaml', { 'items/a.yaml': ORDER }, /is no pack: it has no pack\.yaml/],
    [
      'broken YAML',
      { 'pack.yaml': HEAD, 'items/a.yaml': 'key: [1\n' },
      /^input_invalid \S+ambit-pack-\w+\/items\/a\.yaml:\d+:\d+: \D+$/,
    ],
    ['a duplicate key', { 'pack.yaml': HEAD, 'items/a.yaml': `${ORDER}key: other\n` }, /items\/a\.yaml:6:1: /],
    [
      'a wrong label',
      { 'pack.yaml': HEAD, 'items/a.yaml': `${ORDER}authority: high\n` },
      /items\/a\.yaml:6:12: .*authority/,
    ],
    [
      'a missing label',
      { 'pack.yaml': HEAD.replace(/ {2}trusted.*\n/, ''), 'items/a.yaml': ORDER },
      /items\/a\.yaml:1:1: .*trusted/,
    ],
    [
      'an unknown field',
      { 'pack.yaml': HEAD, 'items/a.yaml': `${ORDER}secret: 1\n` },
      /items\/a\.yaml:6:\d+: there is no field "secret"; there are key, type, value/,
    ],
    [
      'a wrong label in Markdown',
      { 'pack.yaml': HEAD, 'items/a.md': '---\nkey: a\ntype: t\nsource_id: 7\n---\ntext' },
      /items\/a\.md:4:12: .*source_id/,
    ],
    ['Markdown without labels', { 'pack.yaml': HEAD, 'items/a.md': 'text' }, /items\/a\.md:1:1: /],
    [
      'two items with the same key',
      { 'pack.yaml': HEAD, 'items/a.yaml': ORDER, 'items/b.yaml': ORDER },
      /items\/b\.yaml:1:6: order_1 is the key of \S+items\/a\.yaml, too/,
    ],
    ['a file with an unknown extension', { 'pack.yaml': HEAD, 'items/a.exe': '' }, /items\/a\.exe: an item is/],
    ['an unknown label', { 'pack.yaml': `${HEAD}  secret: 1\n` }, /pack\.yaml:10:\d+: there is no field "secret"/],
    [
      'a version that is a number',
      { 'pack.yaml': HEAD.replace('1.0.0', '1.0') },
      /pack\.yaml:2:10: .*put it in quotes/,
    ],
    ['an invalid version', { 'pack.yaml': HEAD.replace('1.0.0', '"a b"') }, /pack\.yaml:2:10: .*version/],
    [
      'an alias',
      { 'pack.yaml': HEAD, 'items/a.yaml': 'key: &k order_1\ntype: *k\nsource_id: crm\nvalue: 1\n' },
      /items\/a\.yaml/,
    ],
  ] as const)('%s', (_what, files, message) => {
    expect(faultOf(files)).toMatch(message);
  });
});
