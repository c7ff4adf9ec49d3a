import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleJson, visibleText } from './visible-text.ts';

test.each([
  ['a zero-width blank', 'pay\u200bpal', 'pay\\u{200b}pal'],
  ['a soft hyphen', 'pay\u00adpal', 'pay\\u{ad}pal'],
  ['a blank Braille pattern', 'a\u2800b', 'a\\u{2800}b'],
  ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['a reversed order', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
  ['an isolate', 'a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
  ['an invisible tag', `pay${String.fromCodePoint(0xe0041)}`, 'pay\\u{e0041}'],
  ['a variation selector', 'a\ufe0fb\u{e0100}', 'a\\u{fe0f}b\\u{e0100}'],
  ['a combining grapheme joiner', 'a\u034fb', 'a\\u{34f}b'],
  ['a Mongolian vowel separator', 'a\u180eb', 'a\\u{180e}b'],
  ['a no-break blank', '1\u00a0000', '1\\u{a0}000'],
  ['a control character', 'a\u001b[31mb\r', 'a\\u{1b}[31mb\\u{d}'],
  ['half of a pair', 'a\ud800b', 'a\\u{d800}b'],
  ['an invisible note head', 'a\u{1d159}b', 'a\\u{1d159}b'],
  ['Cyrillic in a Latin word', 'p\u0430ypal.com', 'p\\u{430}ypal.com'],
  ['a Cyrillic name before a Latin domain', '\u0430\u0440\u0440.com', '\\u{430}\\u{440}\\u{440}.com'],
  ['Greek in an address', 'mil\u03b1@bank.com', 'mil\\u{3b1}@bank.com'],
  ['Armenian and Cherokee letters', 'p\u0585st \u13a0pple', 'p\\u{585}st \\u{13a0}pple'],
  ['Greek in a Cyrillic word', '\u0441\u03bfк', '\u0441\\u{3bf}к'],
  ['full-width letters', '\uff50ay', '\\u{ff50}ay'],
  ['mathematical letters', '\u{1d429}ay', '\\u{1d429}ay'],
  ['a full-width digit', '\uff11000', '\\u{ff11}000'],
])('escapes %s', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  'Refund order ord_881, €49.90 (half of it)\n\tas agreed.',
  'Grüße aus Zürich, ça va? Łódź, İstanbul',
  'Оплата счёта 17',
  'Ελλάδα και Κύπρος',
  '東京都API、ありがとう。',
  '서울시 2026년',
  'שלום עולם',
  'e\u0301 🙂 ≠ ½ …',
])('shows ordinary text as it is: %s', (text) => {
  expect(visibleText(text)).toBe(text);
});

test('escapes keys and texts of a value, and nothing else', () => {
  const value = { 'n\u200bame': ['p\u0430y', 5, true, null, { deep: 'a\u202eb' }] };
  expect(visibleJson(value)).toEqual({ 'n\\u{200b}ame': ['p\\u{430}y', 5, true, null, { deep: 'a\\u{202e}b' }] });
});

test('no text keeps an ignorable, blank or reordering character, and escaping twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = visibleText(text);
      expect(shown).not.toMatch(/\p{Default_Ignorable_Code_Point}|[\u2800\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleText(shown)).toBe(shown);
    }),
  );
});
