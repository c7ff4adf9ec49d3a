import { describe, expect, it } from 'vitest';
import type { AnswerFact } from '../../model/evidence/answer.ts';
import { isJudgeable } from './judgeable.ts';
import { checkSentence } from './release-check.ts';

const KENNEL: AnswerFact = {
  ref: 'kennel',
  tool: 'get_boarding',
  value: {
    stay_id: 'KB-31',
    dog: 'Juno',
    keeper: 'Olek Zima',
    walks_left: 3,
    vaccination: { status: 'pending', due: '2027-02-03' },
    groomed: false,
    microchipped: true,
    fed_at: '2026-11-02T07:30',
    deposit_cents: 4_000,
    currency: 'EUR',
    discount_pct: 10,
    pickup: '2026-11-09',
    notice_days: 14,
    night_light: false,
  },
};

const GRANT: AnswerFact = {
  ref: 'grant',
  tool: 'get_application',
  value: {
    application: 'GA-77',
    reviewer: 'Ken Osei',
    approver: 'Lara Voss',
    status: 'under_review',
    requested_cents: 5_000_000,
    currency: 'EUR',
    submitted_on: '2026-09-01',
    received_on: '2026-09-03',
    notify: true,
    extension_requested: false,
  },
};

const TELESCOPE: AnswerFact = {
  ref: 'telescope',
  tool: 'list_slots',
  value: {
    telescope: 'T60',
    observer: 'Noa Stern',
    calibrated_on: '2026-11-01',
    calibrated_by: 'Piet Maas',
    cancellation_fee_cents: 2_500,
    currency: 'EUR',
    slots: [
      { id: 'S-1', hours: 3, state: 'confirmed' },
      { id: 'S-2', hours: 2, state: 'requested' },
    ],
  },
  complete: ['/slots'],
};

const INVITATION: AnswerFact = {
  ref: 'invitation',
  tool: 'send_invitation',
  effect: true,
  value: { invitation: 'IV-8', recipient: 'Hugo Blau', event: 'Harvest dinner', status: 'sent', seats: 2 },
};

const LEDGER: AnswerFact = {
  ref: 'ledger',
  tool: 'list_entries',
  value: {
    currency: 'EUR',
    entries: [
      { id: 'L1', amount_cents: -1_500, label: 'Hive rent' },
      { id: 'L2', amount_cents: 9_900, label: 'Honey sale' },
    ],
  },
  complete: ['/entries'],
};

const AUCTION: AnswerFact = {
  ref: 'auction',
  tool: 'get_lot',
  value: {
    lot: 'Brass sextant',
    seller: 'Ida Moor',
    bids: [{ by: 'Jan Krol', amount_cents: 70_000 }],
    currency: 'EUR',
  },
  complete: ['/bids'],
};

const FACTS = [KENNEL, GRANT, TELESCOPE, INVITATION, LEDGER, AUCTION];
const rule = (ref: string, text: string) =>
  checkSentence({ text, request: 'What is the state, please?', facts: FACTS, refs: [ref] });

describe('an act is proven by a fact that states it', () => {
  it.each([
    ['a flag that is set', 'kennel', 'Juno has been microchipped.'],
    ['a date whose key is the act', 'kennel', 'Juno was fed at 07:30.'],
    ['a denied act', 'kennel', 'Juno has not been groomed.'],
    ['a date whose key is the act, with the requester', 'grant', 'You submitted the application on 1 September 2026.'],
    ['an amount whose key is the act', 'grant', 'You have requested €50,000.00.'],
    ['a receipt of the organization', 'grant', 'We received the application on 3 September 2026.'],
    ['a state that excludes the denied act', 'grant', 'It is under review, so it has not been approved yet.'],
    ['a role of the act', 'telescope', 'T60 was calibrated by Piet Maas.'],
    ['an active verb with its role', 'telescope', 'Piet Maas calibrated T60 on 1 November 2026.'],
    ['a state', 'telescope', 'Slot S-1 has been confirmed.'],
    ['an effect of the agent', 'invitation', "I've sent the invitation IV-8 to Hugo Blau."],
    ['an effect in the passive', 'invitation', 'The invitation has been sent to Hugo Blau.'],
    ['a payment below zero', 'ledger', 'You paid €15.00 for the Hive rent.'],
    ['the actor of a record', 'auction', 'Jan Krol has bid €700.00.'],
  ])('%s', (_, ref, text) => {
    expect(rule(ref, text)).toMatchObject({ ruling: 'proven', reason: 'every clause follows from the cited facts' });
  });

  it('and looking up is no act', () => {
    expect(rule('kennel', 'I checked: the pickup is on 9 November 2026.').ruling).toBe('proven');
  });
});

describe('an act of the agent needs a call that changed something', () => {
  it.each([
    ['a flag that is set', 'kennel', "I've microchipped Juno.", 'not_provable'],
    ['an act that the agent arranged', 'kennel', 'I had Juno microchipped.', 'not_provable'],
    ['a date whose key is the act', 'kennel', 'I fed Juno at 07:30.', 'not_provable'],
    ['a period of notice', 'kennel', "I've given notice, so the stay ends in 14 days.", 'not_provable'],
    ['a flag that is not set', 'kennel', "I've turned on the night light.", 'refused'],
    [
      'a consequence',
      'kennel',
      "I've turned on the night light so you won't miss the pickup on 9 November.",
      'refused',
    ],
    ['a date', 'kennel', 'I moved the pickup to 9 November 2026.', 'refused'],
    ['an act under way', 'kennel', "I'm moving the pickup to 9 November 2026.", 'refused'],
    ['an effect of the organization', 'grant', 'We submitted the application on 1 September 2026.', 'not_provable'],
    ['another act than the effect', 'invitation', "I've reserved 2 seats for Hugo Blau.", 'not_provable'],
  ])('%s', (_, ref, text, ruling) => {
    expect(rule(ref, text).ruling).toBe(ruling);
  });
});

describe('no act is proven by', () => {
  it.each([
    ['a date ahead', 'kennel', 'The vaccination has been given on 3 February 2027.'],
    ['a number that is left', 'kennel', 'Juno has been walked three times.'],
    ['an amount', 'kennel', 'The deposit of €40.00 has been paid.'],
    ['a rate', 'kennel', 'A discount of 10 % has been applied.'],
    ['a price', 'telescope', 'A cancellation fee of €25.00 has been charged.'],
    ['a role that has yet to act', 'grant', 'The application has been reviewed by Ken Osei.'],
    ['such a role with an active verb', 'grant', 'Ken Osei reviewed the application.'],
    ['a setting', 'grant', 'You have been notified.'],
    ['a state of another record', 'telescope', 'Slot S-2 has been confirmed.'],
    ['another person', 'telescope', 'Noa Stern calibrated T60 on 1 November 2026.'],
    ['the one who did it as the one it was done for', 'auction', 'Jan Krol sold the Brass sextant for Ida Moor.'],
    ['an actor of another record', 'auction', 'Ida Moor has made a bid of €700.00.'],
    ['money of the other direction', 'ledger', 'You paid €99.00 for the Honey sale.'],
  ])('%s', (_, ref, text) => {
    expect(rule(ref, text).ruling).not.toBe('proven');
  });

  it('a state that denies it: then it is refused', () => {
    expect(rule('grant', 'GA-77 has been approved by Lara Voss.')).toEqual({
      ruling: 'refused',
      reason: 'no cited field states that it was approved',
      fields: [],
    });
  });
});

it('asks no judge about an act of the agent', () => {
  const facts = [{ ...KENNEL, effect: false }];
  const isAsked = (text: string): boolean =>
    isJudgeable({ text, request: '', facts, refs: ['kennel'] }, [{ ref: 'kennel', pointer: '/notice_days' }]);
  expect(isAsked("I've given notice for you.")).toBe(false);
  expect(isAsked('The stay can be ended with two weeks of notice.')).toBe(true);
});
