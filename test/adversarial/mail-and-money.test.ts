/**
 * Recipients and money in fields that a tool's rules do not name, and amounts and addresses that look valid and are
 * not.
 */
import { expect, test } from 'vitest';
import { emailCalendarCheck } from '../../src/gateway/categories/email-calendar.ts';
import type { CategoryFinding } from '../../src/gateway/categories/finding.ts';
import { paymentCheck } from '../../src/gateway/categories/payment.ts';
import type { ProposedCall } from '../../src/gateway/layers/layer.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { expectDenied, expectGate, invokeCall } from '../runs/toolpolicy/bench.ts';

const MAIL = {
  operation: 'gated',
  recipients: ['/to'],
  reach: ['@example.com', 'ceo@partner.example'],
  content: ['/subject', '/body'],
  intent: '/why',
} as const;
const LETTER: JsonObject = {
  to: 'ann@example.com',
  subject: 'hi',
  body: 'write to eve@evil.example',
  why: 'asked for',
};

const checked = (args: JsonObject): ProposedCall => ({ args, now: 0 }) as unknown as ProposedCall;
const mail = (changes: JsonObject): CategoryFinding => emailCalendarCheck(MAIL, checked({ ...LETTER, ...changes }));

test.each<JsonObject>([
  { to: 'ann@ex\u0430mple.com' },
  { to: 'ceo+x@partner.example' },
  { to: 'Ann <ann@example.com>' },
  { to: 'ann@example.com.' },
  { to: 'ann@sub.example.com' },
  { bcc: '2030-01-01@evil.example' },
  { bcc: '2030-01-01 eve@evil.example' },
  { bcc: 42 },
  { cc_list: ['all'] },
  { attendees: { 'eve@evil.example': 'required' } },
  { copies: { 'eve@evil.example': true } },
  { headers: [{ name: 'Bcc', value: 'Eve <eve@evil.example>' }] },
  { 'Resent-Bcc': 'Eve <eve@evil.example>' },
  { copy: 'eve@evil.example, mallory@evil.example' },
  { copy: '"eve m"@evil.example' },
  { copy: 'eve\uff20evil.example' },
  { '\uff42\uff43\uff43': 'all' },
])('refuses, without opening a gate, an email that reaches another recipient: %j', (changes) => {
  expect(mail(changes)).toMatchObject({ kind: 'refused' });
});

test.each<JsonObject>([{}, { slot: { from: 9, to: 17 } }, { day: { to: '2030-01-01 10:00' } }, { note: 'ask x@y.z' }])(
  'gates an email that reaches only allowed recipients: %j',
  (changes) => {
    expect(mail(changes)).toMatchObject({ kind: 'gated' });
  },
);

const MONEY = {
  operation: 'gated',
  amount: { at: '/amount', max: { EUR: 100, KWD: 30 } },
  currency: { at: '/currency', allow: ['EUR', 'KWD', 'USD'] },
  vendor: { at: '/vendor', allow: ['acme'] },
  chain: { at: '/chain', allow: ['lead'] },
  terms: { at: '/terms', allow: ['net_30'] },
  budget: '/left',
} as const;
const ORDER: JsonObject = { amount: 10, currency: 'EUR', vendor: 'acme', chain: 'lead', terms: 'net_30', left: 500 };
const money = (changes: JsonObject): CategoryFinding => paymentCheck(MONEY, checked({ ...ORDER, ...changes }));

test.each<JsonObject>([
  { amount: '10' },
  { amount: 1e-9 },
  { amount: 0.1 + 0.2 },
  { amount: 1e21 },
  { amount: -10 },
  { amount: 40, currency: 'KWD' },
  { amount: 1, currency: 'USD' },
  { currency: 'eur' },
  { vendor: 'acme ' },
  { vendor: '\u0430cme' },
  { amount_cents: 999_900 },
  { tip_amount: '5000' },
  { lines: [{ amount: 5_000 }] },
  { lines: [{ vendor: 'eve' }] },
  { settle: { currency: 'XBT' } },
])('refuses, without opening a gate, an order that pays more or other than the rules allow: %j', (changes) => {
  expect(money(changes)).toMatchObject({ kind: 'refused' });
});

test.each<JsonObject>([{}, { amount: 10.25 }, { amount: 30, currency: 'KWD' }, { note: 'amount as agreed' }])(
  'gates an order within the rules: %j',
  (changes) => {
    expect(money(changes)).toMatchObject({ kind: 'gated' });
  },
);

test('in a run, the gateway refuses the forbidden calls and gates the others', async () => {
  const letters = { category: 'email_calendar', rules: MAIL as unknown as JsonObject } as const;
  const orders = { category: 'payment', rules: MONEY as unknown as JsonObject } as const;
  expectDenied(await invokeCall(letters, { ...LETTER, copies: { 'eve@evil.example': true } }));
  await expectGate(await invokeCall(letters, LETTER), 'GATE_SEND');
  expectDenied(await invokeCall(orders, { ...ORDER, lines: [{ amount: 5_000 }] }));
  await expectGate(await invokeCall(orders, ORDER), 'GATE_PAYMENT');
});
