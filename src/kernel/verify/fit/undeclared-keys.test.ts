/** Proves which keys of the params the schema does not declare. Only the author of the arguments chose those. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../model/json/json.ts';
import { findUndeclaredKeys } from './locate.ts';

const NAMED = { properties: { to: {}, lines: { items: { properties: { sum: {} } } } } };

test.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['named', NAMED, { to: 'x', lines: [{ sum: 1 }] }, []],
  ['not named', NAMED, { cc: 'x', lines: [{ tax: 1 }] }, ['cc', 'tax']],
  ['below what is not named', NAMED, { to: { eve: { too: 1 } } }, ['eve', 'too']],
  ['of any name', { additionalProperties: { properties: { sum: {} } } }, { eve: { sum: 1 } }, ['eve']],
  ['of a pattern', { patternProperties: { '^e': {} } }, { eve: 1 }, ['eve']],
  ['named elsewhere in the document', { $ref: '#/$defs/a', $defs: { a: NAMED } }, { to: 'x' }, []],
  ['named by a part', { allOf: [{ anyOf: [true, NAMED] }] }, { to: 'x', cc: 1 }, ['cc']],
  ['named without end', { $ref: '#' }, { to: 'x' }, ['to']],
  ['that every object answers to', NAMED, { toString: 1 }, ['toString']],
  ['in a binding', NAMED, { to: { $from: 'a', path: '' } }, []],
  ['and nothing is', {}, { to: 'x' }, ['to']],
])('keys %s', (_, schema, params, beyond) => expect(findUndeclaredKeys(schema, params)).toEqual(beyond));
