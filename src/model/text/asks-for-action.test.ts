import { expect, test } from 'vitest';
import { asksForAction } from './asks-for-action.ts';

test.each([
  'Cancel my subscription',
  'Hi, please cancel my subscription.',
  'Could you please refund order 7?',
  'I want to close my account',
  "I'd like to upgrade to Pro",
  'Thanks! Now send the report to Bob.',
  'Go ahead and restart the server',
  'Please end my membership',
  'Put Middlemarch on hold for me',
  'My card is lost, block it',
  'Print my receipt',
  'I want a refund.',
  'Give me my money back',
  'Could I have a refund?',
  'Turn off auto-renew',
  'I am leaving, so end my contract.',
  'My order is broken, cancel it',
  '- cancel my order',
])('"%s" asks for an action', (message) => {
  expect(asksForAction(message)).toBe(true);
});

test.each([
  'Which plan am I on?',
  'Was my refund issued?',
  'Write me a poem',
  'What is the weather on Mars?',
  'Tell me a joke about orders',
  'Order is late, why?',
  'Can you tell me what I paid?',
  'Who can cancel a subscription?',
  'Hi, how is it going?',
  'End of the month, what will I have paid?',
])('"%s" does not', (message) => {
  expect(asksForAction(message)).toBe(false);
});
