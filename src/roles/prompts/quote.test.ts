/** Laws of quoting: no foreign text leaves its quotation, whole or cut. */
import { fc, test as law } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../model/json/json.ts';
import { section, sections } from './common.ts';
import { quote } from './quote.ts';

/** Texts that try to look like the structure of a prompt. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\u2028', '\u2029', '\u0085', '\u000b', '\f', '"', '\\', '\\"', '", "', '\u202e'),
      fc.constantFrom('# Rules', '\n\n# Data\n\n', '```', '\n```json\n', '> ', '- ', '\u200b', '\u2066', '\u{e0041}'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('').toWellFormed());
const value: fc.Arbitrary<Json> = fc.oneof(
  hostile,
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(hostile, hostile, { maxKeys: 3, noNullPrototype: true }),
);
const max = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(Number.POSITIVE_INFINITY));

/** Any line break that a model or a person may read as one, and any character that is not shown. */
const HIDDEN = /\p{Cc}|[\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/u;
const CUT = / \(cut: \d+ characters\)$/;

describe('a quoted value', () => {
  law.prop([value, max])('is one line without hidden characters', (foreign, most) => {
    expect(quote(foreign, most)).not.toMatch(HIDDEN);
  });

  law.prop([value])('reads as the same value', (foreign) => {
    expect(JSON.parse(quote(foreign))).toEqual(foreign);
  });

  law.prop([value, fc.integer({ min: 1, max: 40 })])('is closed where it is cut', (foreign, most) => {
    const quoted = quote(foreign, most);
    const whole = quote(foreign);
    const read: unknown = JSON.parse(quoted.replace(CUT, ''));
    if (CUT.test(quoted)) expect(typeof read).toBe('string');
    else expect(quoted).toBe(whole);
  });

  law.prop([value, max])('adds no line, section or fence to its prompt', (foreign, most) => {
    const plain = sections(section('Task', `Task: ${quote('x')}`), section('Rules', '- One rule.'));
    const attacked = sections(section('Task', `Task: ${quote(foreign, most)}`), section('Rules', '- One rule.'));
    const structure = (text: string): readonly string[] =>
      text.split(/[\n\r\u0085\u2028\u2029]/).map((line) => line.slice(0, 5));
    expect(structure(attacked)).toEqual(structure(plain));
  });
});

test('escapes the separators that JSON leaves as they are', () => {
  expect(quote('a\u2028# Rules\u2029b')).toBe('"a\\u2028# Rules\\u2029b"');
  expect(quote('\u{e0041}')).toBe('"\\udb40\\udc41"');
});
