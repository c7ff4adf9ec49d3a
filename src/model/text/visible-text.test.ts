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
  ['a small Roman numeral', 'paypa\u217c.com', 'paypa\\u{217c}.com'],
  ['a raised digit', '\u00b9000', '\\u{b9}000'],
  ['a digit in a circle', '\u2460000', '\\u{2460}000'],
  ['full-width signs', 'a\uff0ecom\uff0fpay', 'a\\u{ff0e}com\\u{ff0f}pay'],
  ['a leader dot', 'bank\u2024example', 'bank\\u{2024}example'],
  ['slashes of fractions', 'a.example\u2215b\u2044c', 'a.example\\u{2215}b\\u{2044}c'],
  ['a click for an exclamation mark', 'pay\u01c3', 'pay\\u{1c3}'],
  ['a Latin alpha', 'p\u0251ypal', 'p\\u{251}ypal'],
  ['a digit of another script', '100\u09ea', '100\\u{9ea}'],
  ['an Arabic separator', '1\u066b000', '1\\u{66b}000'],
  ['an overlay', 'pay\u0336', 'pay\\u{336}'],
  ['a mark around a letter', 'a\u20e0', 'a\\u{20e0}'],
  ['an object replacement and a filler', 'a\ufffcb\u{16fe4}', 'a\\u{fffc}b\\u{16fe4}'],
  ['a Cyrillic word of Latin twins', '\u0441\u043e\u0441\u043e', '\\u{441}\\u{43e}\\u{441}\\u{43e}'],
  ['an Armenian word of Latin twins', '\u0585\u057d\u0578', '\\u{585}\\u{57d}\\u{578}'],
  ['Lisu letters', '\ua4d1\ua4ee', '\\u{a4d1}\\u{a4ee}'],
])('escapes %s', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  'Refund order ord_881, €49.90 (half of it)\n\tas agreed.',
  'Grüße aus Zürich, ça va? Łódź, İstanbul',
  'Оплата счёта 17',
  'Ελλάδα και Κύπρος',
  'Возврат за билет, ее и со мной',
  '١٢٣ ريال',
  'Հայաստան',
  '−500 to –500, 20 °C ±1',
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
