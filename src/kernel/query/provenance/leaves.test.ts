import { expect, test } from 'vitest';
import type { JsonObject } from '../../../model/json/json.ts';
import { argumentLeaves } from './leaves.ts';

const kinds = (params: JsonObject, args: JsonObject): readonly string[] =>
  argumentLeaves(params, args).map(([pointer, { kind }]) => `${pointer} ${kind}`);

test('lists each value once, in order, by its pointer', () => {
  const params = { to: 'ann', of: { $from: 'a', path: '/x' }, list: [1, { deep: null }], none: {}, 'a/b': true };
  const args = { ...params, of: { whatever: ['it', 'holds'] }, limit: 10 };
  expect(kinds(params, args)).toEqual([
    '/to literal',
    '/of bound',
    '/list/0 literal',
    '/list/1/deep literal',
    '/none literal',
    '/a~1b literal',
    '/limit default',
  ]);
});

test('empty arguments have no leaves; arguments that are one binding are one leaf', () => {
  expect(kinds({}, {})).toEqual([]);
  expect(kinds({ $from: 'a', path: '' }, { n: 1 })).toEqual([' bound']);
});

test('detects a default under any name', () => {
  expect(kinds({ n: 1 }, { n: 1, toString: 'x', valueOf: null })).toEqual([
    '/n literal',
    '/toString default',
    '/valueOf default',
  ]);
});
