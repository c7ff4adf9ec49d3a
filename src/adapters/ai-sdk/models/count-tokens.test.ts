import { fc, test as law } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { countTokens } from './known-models.ts';

/** Token counts by the published tokenizers `o200k_base` and `cl100k_base`: the larger of both. */
const COUNTED: readonly (readonly [what: string, text: string, tokens: number])[] = [
  [
    'prose',
    'The refund was approved by the duty manager after the customer had sent two photographs of the damaged parcel.',
    20,
  ],
  [
    'German',
    'Die Rückerstattung wurde genehmigt, nachdem die Kundin zwei Fotografien des beschädigten Pakets übersandt hatte.',
    33,
  ],
  ['Chinese', '退款在客户发送了两张损坏包裹的照片后获得批准。', 29],
  ['Japanese', 'お客様が破損した荷物の写真を二枚送った後、返金が承認されました。', 39],
  ['Hindi', 'ग्राहक द्वारा क्षतिग्रस्त पार्सल की दो तस्वीरें भेजने के बाद धनवापसी स्वीकृत की गई।', 80],
  ['Russian', 'Возврат средств был одобрен после того, как клиент прислал две фотографии.', 33],
  ['Arabic', 'تمت الموافقة على استرداد المبلغ', 18],
  ['rare scripts', 'Հայերեն ܣܘܪܝܝܐ ދިވެހި', 40],
  ['emoji', '👩‍👩‍👧🏳️‍🌈🎉🔥🤷🏽‍♀️', 38],
  [
    'JSON',
    '{"plan_id":"plan_1","steps":[{"id":"s1","tool":"read_order","params":{"order_id":{"from":"input"}},"depends_on":[],"produces":["order"]}],"n":[1,2.5,-30000000000,true,null]}',
    57,
  ],
  ['an address', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 46],
  ['bytes in base64', 'aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q=', 26],
  ['letters without a word', 'xqzjvkwpfhgbdlmnrtsycxqzjvkwpfhgbd', 24],
  ['capitals without a word', 'XQZJVKWPFHGBDLMNRTSYCXQZJVKW', 20],
  ['shouting', 'THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AGAIN AND AGAIN', 17],
  ['a name of code', 'getUserByIdOrThrowNotFoundException', 9],
  ['digits', '3141592653589793238462643383279502884197', 14],
  ['blanks', `${' '.repeat(300)}x`, 4],
  ['code', '\t\t\tif (a) {\n\t\t\t\treturn b;\n\t\t\t}\n', 13],
];

test.for(COUNTED)('%s: the estimate is not below the real count, and not far above it', ([, text, tokens]) => {
  expect(countTokens(text)).toBeGreaterThanOrEqual(tokens);
  expect(countTokens(text)).toBeLessThanOrEqual(tokens * 3 + 10);
});

test('known limit: underestimates invented words (really 20 tokens)', () => {
  expect(countTokens('baxuqelo wifomuza teriqoda zuhapibe koxejila')).toBe(15);
});

const anything = fc.string({ unit: 'binary' });

law.prop([anything, anything])('the estimate grows with the text and never exceeds its bytes', (a, b) => {
  expect(countTokens(`${a}\n${b}`)).toBeGreaterThanOrEqual(Math.max(countTokens(a), countTokens(b)));
  expect(countTokens(a)).toBeLessThanOrEqual(Buffer.byteLength(a));
});

test('counts an empty text as 0', () => {
  expect(countTokens('')).toBe(0);
});

test.for(['a', '\n', ' ', 'aB1', 'é', '```\n', '漢'])('counts two million characters of %j within seconds', (unit) => {
  const before = performance.now();
  expect(countTokens(unit.repeat(Math.ceil(2_000_000 / unit.length)))).toBeGreaterThan(0);
  expect(performance.now() - before).toBeLessThan(5_000);
});
