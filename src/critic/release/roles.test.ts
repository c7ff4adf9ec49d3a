/** A sum or a day with a role of its own proves only sentences that name the role. */
import { expect, test } from 'vitest';
import type { Json } from '../../model/json/json.ts';
import { checkSentence } from './release-check.ts';

const rule = (text: string, value: Json, request = 'What about my order?'): string =>
  checkSentence({ text, request, facts: [{ ref: 'e1', tool: 'orders.lookup', value, effect: false }], refs: ['e1'] })
    .ruling;

test.each([
  ['discount_cents', 'Your discount is €49.90.'],
  ['balance_cents', 'Your balance is €49.90.'],
  ['price_cents', 'It costs €49.90.'],
  ['total_cents', 'The total is €49.90.'],
])('%s proves "%s"', (key, text) => {
  expect(rule(text, { [key]: 4990, currency: 'EUR' })).toBe('proven');
});

test.each(['discount_cents', 'credit_limit_cents', 'balance_cents', 'refund_cents', 'estimate_cents', 'deposit_cents'])(
  '%s proves no price, bill or payment of the same size',
  (key) => {
    for (const text of ['It costs €49.90.', 'The price is €49.90.', 'Your bill is €49.90.', 'You paid €49.90.'])
      expect(rule(text, { [key]: 4990, currency: 'EUR' }), text).not.toBe('proven');
  },
);

test.each([
  ['expected_on', 'It is expected on 3 May 2026.'],
  ['due_date', 'It is due on 3 May 2026.'],
  ['created_at', 'It was created on 3 May 2026.'],
])('%s proves "%s"', (key, text) => {
  expect(rule(text, { order_id: 'o1', [key]: '2026-05-03' })).toBe('proven');
});

test.each([
  ['expected_on', 'The order arrived on 3 May 2026.'],
  ['expected_on', 'It was delivered on 3 May 2026.'],
  ['due_date', 'The order arrived on 3 May 2026.'],
  ['created_at', 'It ends on 3 May 2026.'],
  ['cancelled_at', 'It went through on 3 May 2026.'],
])('%s does not prove "%s"', (key, text) => {
  expect(rule(text, { order_id: 'o1', [key]: '2026-05-03' })).not.toBe('proven');
});

test('a sentence that leaves open whether it is so is not proven', () => {
  const fact = { price_cents: 4990, currency: 'EUR' };
  expect(rule('The price is €49.90.', fact)).toBe('proven');
  expect(rule('The price is probably €49.90.', fact)).not.toBe('proven');
});

test.each([
  'His plan is Pro.',
  'My plan is Pro.',
  'You can have the Pro plan.',
  'You may use the Pro plan.',
  'You could have the Pro plan.',
])('a plan does not prove another owner or a possibility: %s', (text) => {
  expect(rule(text, { plan: 'Pro', limit: 42 }, 'Which plan am I on?')).not.toBe('proven');
});

test.each(['used', 'seats', 'score'])('a word of the request names no other field: %s is no limit', (key) => {
  expect(rule('So 42 is your limit.', { [key]: 42 }, 'What is my limit?')).not.toBe('proven');
  expect(rule('So 42 is your limit.', { limit: 42 }, 'What is my limit?')).toBe('proven');
});

test.each([
  ['referred_by', 'You were referred by Ruth Adler.', 'proven'],
  ['referred_by', 'Ruth Adler referred you.', 'proven'],
  ['referred_by', 'You referred Ruth Adler.', 'not_provable'],
  ['referred_by', 'Ruth Adler was referred by you.', 'not_provable'],
  ['invited_member', 'Ruth Adler was invited.', 'proven'],
  ['invited_member', 'Ruth Adler invited you.', 'not_provable'],
  ['invited_member', 'You were invited by Ruth Adler.', 'not_provable'],
])('%s says who did it, and to whom: "%s" is %s', (key, text, ruling) => {
  expect(rule(text, { [key]: 'Ruth Adler' })).toBe(ruling);
});

test.each([
  'The shop makes more than €30 on this parcel.',
  'The shop gets more than €30 for this parcel.',
  'The shop got €74.50 for this parcel.',
  'The shop keeps €74.50 of it.',
])('a price proves no income of another party: %s', (text) => {
  expect(rule(text, { parcel: 'Spring', price_cents: 7450, currency: 'EUR' })).not.toBe('proven');
});

test.each(['It is valid for 2025.', 'It is valid for the whole of 2025.', 'It is valid for the entire 2025.'])(
  'the first day proves no whole year: %s',
  (text) => {
    expect(rule(text, { permit: 'N3', valid_from: '2025-03-01' })).not.toBe('proven');
  },
);

test('"your name" is no name of an inner object', () => {
  const fact = { name: 'Ines Vidal', branch: { name: 'Harbour' } };
  expect(rule('Your name is Ines Vidal.', fact)).toBe('proven');
  expect(rule('Your name is Harbour.', fact)).not.toBe('proven');
  expect(rule('The branch is Harbour.', fact)).toBe('proven');
});

test('cubic metres are the unit of a key', () => {
  expect(rule('Your usage was 96.4 cubic metres.', { usage_cubic_metres: 96.4 })).toBe('proven');
  expect(rule('Your usage was 96.4 metres.', { usage_cubic_metres: 96.4 })).not.toBe('proven');
});

test.each([
  ['in', 'from', 'to'],
  ['out', 'to', 'from'],
])('a transfer with the direction "%s" is one %s the other party, not %s', (direction, right, wrong) => {
  const fact = { transfer_id: 'T-1', counterparty: 'Ana Reis', direction, amount_cents: 500, currency: 'EUR' };
  expect(rule(`The transfer T-1 of €5.00 is ${right} Ana Reis.`, fact)).toBe('proven');
  expect(rule(`The transfer T-1 of €5.00 is ${wrong} Ana Reis.`, fact)).not.toBe('proven');
});

test('the words around a change have its direction', () => {
  const fall = { downloads: 900, downloads_change_percent: -7.5 };
  expect(rule('Your downloads fell by 7.5%.', fall)).toBe('proven');
  expect(rule('Your downloads went up by 7.5%.', fall)).not.toBe('proven');
  const rise = { downloads: 900, downloads_change_percent: 7.5 };
  expect(rule('Your downloads went up by 7.5%.', rise)).toBe('proven');
  expect(rule('Your downloads fell by 7.5%.', rise)).not.toBe('proven');
});
