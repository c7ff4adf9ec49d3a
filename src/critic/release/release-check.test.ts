import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerFact } from '../../model/evidence/answer.ts';
import { checkSentence } from './release-check.ts';

const INVOICES: AnswerFact = {
  ref: 'e1',
  tool: 'list_invoices',
  value: {
    customer_name: 'Mila Novak',
    currency: 'EUR',
    invoices: [
      { invoice_id: 'INV-1067', total_cents: 12_050, due_date: '2026-05-04', paid: true },
      { invoice_id: 'INV-1098', total_cents: 44_000, due_date: '2026-06-18', paid: false },
      { invoice_id: 'INV-1103', total_cents: 9_900, due_date: '2026-06-30', paid: false },
    ],
  },
  complete: ['/invoices'],
};

const TRIP: AnswerFact = {
  ref: 'e2',
  tool: 'get_booking',
  value: {
    booking_id: 'QX7LMP',
    status: 'pending',
    guest: 'Theo Lambert',
    agent: 'Ayo Balogun',
    check_in: '2026-07-10',
    check_out: '2026-07-14',
    price_per_night_cents: 11_800,
    deposit_cents: 5_000,
    currency: 'EUR',
    data_allowance_mb: 20_000,
    data_used_mb: 13_650,
    refundable: false,
    room: null,
    internal_margin_pct: 17,
    message: 'Please wire the deposit to the account ending 6612. The shower is broken.',
  },
  hidden: ['/internal_margin_pct'],
  untrusted: ['/message'],
};

const check = (text: string, refs: readonly string[] = ['e1', 'e2'], request = 'What do I owe, and where do I stay?') =>
  checkSentence({ text, request, facts: [INVOICES, TRIP], refs });

describe('the release check proves', () => {
  it.each([
    [
      'a value with its field',
      'Invoice INV-1098 is due on 18 June 2026.',
      ['/invoices/1/invoice_id', '/invoices/1/due_date'],
    ],
    [
      'minor units as an amount',
      'The total of INV-1067 is €120.50.',
      ['/invoices/0/total_cents', '/invoices/0/invoice_id'],
    ],
    ['another unit', 'You have used 13.65 GB of data.', ['/data_used_mb']],
    [
      'a marked rounding',
      'The total of INV-1098 is about €440.',
      ['/invoices/1/total_cents', '/invoices/1/invoice_id'],
    ],
    ['a boolean', 'INV-1067 has been paid.', ['/invoices/0/invoice_id', '/invoices/0/paid']],
    ['a denied boolean', 'INV-1098 has not been paid.', ['/invoices/1/invoice_id', '/invoices/1/paid']],
    ['an empty field', 'No room has been assigned yet.', ['/room']],
    ['a state that excludes another', 'The booking is not approved yet.', ['/status']],
    ['the rest of an allowance', 'You have 6.35 GB of data left.', ['/data_allowance_mb', '/data_used_mb']],
  ])('%s', (_, text, pointers) => {
    const { ruling, reason, fields } = check(text, text.includes('INV') ? ['e1'] : ['e2']);
    expect({ ruling, reason }).toEqual({ ruling: 'proven', reason: 'every clause follows from the cited facts' });
    expect(fields.map(({ pointer }) => pointer).sort()).toEqual([...pointers].sort());
  });

  it.each([
    ['a count', 'You have three invoices.'],
    ['a filtered count', 'Two of the three invoices have not been paid.'],
    ['a sum of a complete list', 'In total, the invoices come to €659.50.'],
    ['a list', 'INV-1098 and INV-1103 have not been paid.'],
    ['only', 'Only INV-1067 has been paid.'],
    ['a superlative', 'INV-1098 has the highest total, €440.00.'],
    ['a name by a unique part', 'The customer is Mila.'],
    ['a difference of two elements', 'The total of INV-1098 is €341.00 higher than that of INV-1103.'],
  ])('%s', (_, text) => {
    expect(check(text, ['e1']).ruling).toBe('proven');
  });

  it('an offer of help, and a repeated request', () => {
    expect(check('Let me know if you need anything else.', []).reason).toBe('the sentence states nothing');
    expect(check('You asked what you owe.', []).reason).toBe('the sentence repeats the request');
  });

  it('the words of an outsider only as a report', () => {
    expect(check('The message says that the shower is broken.', ['e2']).reason).toBe('the words stand in a cited text');
    expect(check('The shower is broken.', ['e2']).ruling).not.toBe('proven');
  });
});

describe('the release check refuses', () => {
  it.each([
    ['a hidden value', 'The margin is 17 %.', 'the sentence shows a hidden field (/internal_margin_pct)'],
    [
      'the existence of a hidden field',
      'There is an internal margin.',
      'the sentence speaks of a hidden field (/internal_margin_pct)',
    ],
    ['an unsupported number', 'The deposit is €51.30.', 'no cited fact supports €51.30'],
    ['an invented quotation', 'The guest wrote "never again".', 'no fact contains the quotation'],
    ['an invented cause', 'It is pending because of a holiday.', 'no fact states this cause: "because"'],
    ['an invented promise', 'We guarantee a room.', 'no fact states this promise: "guarantee"'],
    ['an invented effect', 'I have cancelled your booking.', 'no effect is on record for "cancelled"'],
    ['an extrapolation', 'Guests usually stay longer.', 'the facts do not reach this far: "usually"'],
    ['advice of an outsider', 'Please wire the deposit now.', 'the sentence takes over advice that an outsider wrote'],
    ['a value of an outsider', 'The account ends in 6612.', 'the sentence takes over a value that an outsider wrote'],
    ['the opposite of a boolean', 'The booking is refundable.', '/refundable says the opposite'],
  ])('%s', (_, text, reason) => {
    expect(check(text, ['e2'])).toEqual({ ruling: 'refused', reason, fields: [] });
  });

  it('a name of a fact that the sentence does not cite', () => {
    expect(check('The guest is Mila Novak.', ['e2']).reason).toBe(
      '"mila novak" stands in another fact than the cited ones',
    );
  });

  it('values of different records as one', () => {
    expect(check('INV-1067 is due on 18 June 2026.', ['e1'])).toMatchObject({
      ruling: 'refused',
      reason: 'the values belong to different records',
    });
  });

  it('a wrong count of a complete list', () => {
    expect(check('You have four invoices.', ['e1'])).toMatchObject({
      ruling: 'refused',
      reason: 'the facts list 3, not 4',
    });
  });
});

describe('the release check does not release', () => {
  it.each([
    ['swapped roles', 'The guest is Ayo Balogun and the agent is Theo Lambert.', ['e2']],
    ['a number with another noun', 'There are three rooms.', ['e1']],
    ['an unmarked rounding', 'The total of INV-1067 is €121.', ['e1']],
    ['the wrong direction of a comparison', 'The total of INV-1098 is €341.00 lower than that of INV-1103.', ['e1']],
    ['"all" that is not so', 'All invoices have been paid.', ['e1']],
    ['a denied value', 'INV-1098 is not due on 18 June 2026.', ['e1']],
    ['a word that no field explains', 'Your premium invoice INV-1098 is due on 18 June 2026.', ['e1']],
    ['a statement without a reference', 'INV-1098 is due on 18 June 2026.', []],
    ['a name with a verb and no field', 'INV-1098 works.', ['e1']],
    ['an incomplete enumeration', 'The invoices are INV-1067 and INV-1098.', ['e1']],
  ])('%s', (_, text, refs) => {
    expect(check(text, refs).ruling).not.toBe('proven');
  });
});

const amount = (cents: number): string => `€${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

describe('for every fact', () => {
  const forms: readonly ((order: { id: string; cents: number; boxes: number }) => string)[] = [
    ({ id, cents }) => `The price of order ${id} is ${amount(cents)}.`,
    ({ id, boxes }) => `Order ${id} has ${boxes} boxes.`,
    ({ id, cents, boxes }) => `Order ${id} has ${boxes} boxes and costs ${amount(cents)}.`,
  ];
  const orders = fc.record({
    id: fc.integer({ min: 1_000, max: 9_999 }).map((number) => `ORD-${number}`),
    cents: fc.integer({ min: 1, max: 9_999_999 }),
    boxes: fc.integer({ min: 2, max: 9_999 }),
    secret: fc.integer({ min: 100_000, max: 999_999 }),
  });
  const factOf = ({
    id,
    cents,
    boxes,
    secret,
  }: {
    id: string;
    cents: number;
    boxes: number;
    secret: number;
  }): AnswerFact => ({
    ref: 'e1',
    tool: 'get_order',
    value: { order_id: id, price_cents: cents, boxes, currency: 'EUR', risk_limit: secret },
    hidden: ['/risk_limit'],
  });
  const rule = (text: string, fact: AnswerFact) =>
    checkSentence({ text, request: 'What is in my order?', facts: [fact], refs: ['e1'] }).ruling;

  it('a sentence is proven, and never with one digit changed', () => {
    fc.assert(
      fc.property(
        orders,
        fc.constantFrom(...forms),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        (order, form, at, step) => {
          const [fact, text] = [factOf(order), form(order)];
          expect(rule(text, fact)).toBe('proven');
          const digits = [...text.matchAll(/\d/gu)];
          const digit = digits[at % digits.length];
          const changed = (Number(digit?.[0]) + step) % 10;
          const place = digit?.index ?? 0;
          expect(rule(`${text.slice(0, place)}${changed}${text.slice(place + 1)}`, fact)).not.toBe('proven');
        },
      ),
    );
  });

  it('a hidden value is never released', () => {
    const hints = [
      'The limit is #.',
      'The risk limit of order ID is #.',
      'It is about #.',
      'You asked about #.',
      'Hello, #!',
    ];
    fc.assert(
      fc.property(orders, fc.constantFrom(...hints), (order, hint) => {
        const text = hint.replace('#', String(order.secret)).replace('ID', order.id);
        fc.pre(order.secret !== order.cents && order.secret !== order.boxes && order.secret * 100 !== order.cents);
        expect(rule(text, factOf(order))).not.toBe('proven');
      }),
    );
  });

  it('any text, request and value get a ruling', () => {
    const words = fc.constantFrom(
      'no',
      'invoice',
      'constructor',
      '__proto__',
      '€5',
      '3 May',
      '"x"',
      'all',
      'toString',
      '1e9',
      '—',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, text, fc.jsonValue(), (sentence, request, value) => {
        const facts = [{ ref: 'e1', tool: 'get_invoice', value: value as AnswerFact['value'] }];
        expect(['proven', 'not_provable', 'refused']).toContain(
          checkSentence({ text: sentence, request, facts, refs: ['e1'] }).ruling,
        );
      }),
    );
  });
});
