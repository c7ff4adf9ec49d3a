/** Which texts count as one mail address, and that every recipient in the arguments is found. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json/json.ts';
import { findHeaderLineBreak, findUncoveredRecipient, isAddress } from './email-calendar.ts';

test.each(['ann@example.com', 'a.b+tag@mail.example.co', "o'neil@example.com", 'root@localhost', 'x@xn--pple-43d.com'])(
  'accepts %j as one address',
  (text) => {
    expect(isAddress(text)).toBe(true);
  },
);

test.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@example.com ',
  'ann@example.com\n',
  'ann@example.com,eve@evil.example',
  'ann@example.com;eve@evil.example',
  'Ann <ann@example.com>',
  '<ann@example.com>',
  '"ann@example.com" <eve@evil.example>',
  '"ann"@example.com',
  'ann@example.com (eve)',
  'team:ann@example.com;',
  'eve@evil.example@example.com',
  'eve%evil.example@example.com',
  'evil.example!eve@example.com',
  '@evil.example:ann@example.com',
  '-oQ/tmp@example.com',
  '|sh@example.com',
  '.ann@example.com',
  'a..b@example.com',
  'ann@ex\u0430mple.com',
  '\u0430nn@example.com',
  'bob\u212a@example.com',
  'ann@example\u3002com',
  'ann@[127.0.0.1]',
  'ann@127.0.0.1',
  'ann@-example.com',
  'ann@example-.com',
  'ann@example..com',
  `${'a'.repeat(250)}@example.com`,
])('rejects %j as an address', (text) => {
  expect(isAddress(text)).toBe(false);
});

const unseen = (args: JsonObject): string | null => findUncoveredRecipient(args, ['/to', '/mail/cc'], ['/body']);

test.each<[JsonObject, string]>([
  [{ to: 'a@b.c', bcc: 'eve@evil.example' }, '/bcc'],
  [{ to: 'a@b.c', BCC: ['everybody'] }, '/BCC/0'],
  [{ to: 'a@b.c', mail: { bcc: 'x@y.z' } }, '/mail/bcc'],
  [{ to: 'a@b.c', 'bcc-recipients': [{ address: 'x@y.z' }] }, '/bcc-recipients/0/address'],
  [{ to: 'a@b.c', headers: ['Bcc: x@y.z'] }, '/headers/0'],
  [{ to: 'a@b.c', extra: 'hello\ncc: x@y.z' }, '/extra'],
])('finds the undeclared recipient in %j', (args, pointer) => {
  expect(unseen(args)).toBe(pointer);
});

test.each<JsonObject>([
  { to: ['a@b.c'], mail: { cc: 'x@y.z' }, body: 'To: x@y.z' },
  { cc: [], bcc: null, from: 'us@example.com', reply_to: 'us@example.com', note: 'ask x@y.z about it' },
  { slot: { from: '2030-01-01T09:00:00Z', to: '2030-01-01' } },
])('finds no undeclared recipient in %j', (args) => {
  expect(unseen(args)).toBeNull();
});

test('rejects a line break in a header field, but not in a body', () => {
  expect(findHeaderLineBreak({ mail: { Subject: 'a\nBcc: x@y.z' }, body: 'a\nb' })).toBe('/mail/Subject');
  expect(findHeaderLineBreak({ subject: 'a\u2028b' })).toBe('/subject');
  expect(findHeaderLineBreak({ subject: 'a', body: 'a\nb' })).toBeNull();
});

test('finds a recipient in arguments nested deeper than the call stack', () => {
  let args: JsonObject = { bcc: 'x@y.z' };
  for (let depth = 0; depth < 3_000; depth += 1) args = { inner: args };
  expect(unseen(args)).toMatch(/\/bcc$/);
});
