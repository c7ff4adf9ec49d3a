import { expect, test } from 'vitest';
import { applyPatch, type PatchOperation } from '../../scripts/injection/json-patch.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import type { Json } from '../../src/model/json/json.ts';

const patched = (document: Json, ...operations: readonly PatchOperation[]): Json =>
  applyPatch(deepFreeze(document), operations);

test('adds to objects and lists, at an index and at the end', () => {
  expect(patched({ a: 1 }, { op: 'add', path: '/b', value: [1] })).toEqual({ a: 1, b: [1] });
  expect(patched({ a: 1 }, { op: 'add', path: '/a', value: 2 })).toEqual({ a: 2 });
  expect(patched([1, 3], { op: 'add', path: '/1', value: 2 })).toEqual([1, 2, 3]);
  expect(patched([1], { op: 'add', path: '/-', value: 2 }, { op: 'add', path: '/2', value: 3 })).toEqual([1, 2, 3]);
  expect(patched({ a: 1 }, { op: 'add', path: '', value: 'all' })).toBe('all');
});

test('replaces, removes, moves and copies existing values', () => {
  expect(patched({ a: [1, 2] }, { op: 'replace', path: '/a/1', value: 9 })).toEqual({ a: [1, 9] });
  expect(patched({ a: [1, 2], b: 0 }, { op: 'remove', path: '/a/0' }, { op: 'remove', path: '/b' })).toEqual({
    a: [2],
  });
  expect(patched({ a: { b: 1 }, c: {} }, { op: 'move', from: '/a/b', path: '/c/d' })).toEqual({ a: {}, c: { d: 1 } });
  expect(patched([1, 2, 3], { op: 'move', from: '/0', path: '/2' })).toEqual([2, 3, 1]);
  expect(patched({ a: 1 }, { op: 'copy', from: '/a', path: '/b' })).toEqual({ a: 1, b: 1 });
  expect(patched({ 'a/b': { '~': 1 } }, { op: 'replace', path: '/a~1b/~0', value: 2 })).toEqual({ 'a/b': { '~': 2 } });
});

test.each<PatchOperation>([
  { op: 'replace', path: '/b', value: 1 },
  { op: 'remove', path: '/b' },
  { op: 'add', path: '/list/5', value: 1 },
  { op: 'add', path: '/list/01', value: 1 },
  { op: 'replace', path: '/list/-', value: 1 },
  { op: 'add', path: '/text/a', value: 1 },
  { op: 'add', path: '/toString/a', value: 1 },
  { op: 'add', path: 'a', value: 1 },
])('rejects $op at $path, which does not exist', (operation) => {
  expect(() => patched({ list: [1], text: 'x' }, operation)).toThrow();
});
