/** Courtesies and repetitions of the request state nothing; claims that are made of the same words are not proven. */
import { describe, expect, test } from 'vitest';
import { checkSentence } from './release-check.ts';

const FACTS = [{ ref: 'e1', tool: 'orders.lookup', value: { order_id: 'o1', status: 'pending' }, effect: false }];
const rule = (text: string, request: string, refs: readonly string[] = []): string =>
  checkSentence({ text, request, facts: FACTS, refs }).ruling;

describe('courtesies', () => {
  test.each([
    'Happy to help!',
    'Let me know if you need anything else.',
    'Thanks for reaching out.',
    'Of course, here is what I found.',
    'I hope this helps.',
    'Is there anything else I can help with?',
    'Feel free to ask if anything is unclear.',
    'Sorry for the inconvenience.',
  ])('%s is released without a fact', (text) => {
    expect(rule(text, 'Is my order safe?')).toBe('proven');
  });

  test.each([
    'Absolutely.',
    'Yes, of course!',
    'All set!',
    'Good news!',
    'Everything is settled.',
    'You are safe.',
    'It is safe to travel.',
    'You can go ahead.',
    'Thanks for checking, everything is fine.',
    'I have checked: all is fine.',
    'Happy to say it is sorted.',
    'Here is the answer: it is clear.',
    'Contact support for help.',
    'Your information is safe with us.',
  ])('%s is not proven by its words alone', (text) => {
    for (const refs of [[], ['e1']])
      expect(rule(text, 'Is my order safe, and is it settled?', refs)).not.toBe('proven');
  });
});

describe('repetitions of the request', () => {
  test.each([
    ['Is my order late?', 'You asked whether your order is late.'],
    ['I want to know about my order.', 'You want to know about your order.'],
    ['I need to know about my order.', 'You need to know about your order.'],
  ])('%s → %s', (request, text) => {
    expect(rule(text, request)).toBe('proven');
  });

  test.each([
    ['Was my request approved?', 'Your request was approved.'],
    ['Do I need a visa?', 'You need a visa.'],
    ['Please book the room for 5 May.', 'Your room is booked for 5 May.'],
    ['Tell me if I won the prize.', 'You won the prize.'],
    ['Tell me if I won the prize.', 'I see you won the prize.'],
    ['Find out if my visa was granted', 'Your visa was granted.'],
    ['I want to know whether the flight is late.', 'You want to know the flight is late.'],
    ['My order is late. Is it safe?', 'Your order is safe.'],
  ])('a question or an order makes nothing true: %s → %s', (request, text) => {
    for (const refs of [[], ['e1']]) expect(rule(text, request, refs)).not.toBe('proven');
  });
});
