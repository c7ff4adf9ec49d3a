/** Proves which values arguments are made of, where each stands and where it comes from. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import { leavesOf } from './leaves.ts';

const kinds = (params: JsonObject, args: JsonObject): readonly string[] =>
  leavesOf(params, args).map(([pointer, { kind }]) => `${pointer} ${kind}`);

test('every value is found once, in the order in which it stands, by its own pointer', () => {
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

test('no arguments are nothing that anybody said; arguments that are one binding are that', () => {
  expect(kinds({}, {})).toEqual([]);
  expect(kinds({ $from: 'a', path: '' }, { n: 1 })).toEqual([' bound']);
});

test('a default is one whatever it is called', () => {
  expect(kinds({ n: 1 }, { n: 1, toString: 'x', valueOf: null })).toEqual([
    '/n literal',
    '/toString default',
    '/valueOf default',
  ]);
});
