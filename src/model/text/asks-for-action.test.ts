import { expect, test } from 'vitest';
import { asksForAction } from './asks-for-action.ts';

test.each([
  'Cancel my subscription',
  'Hi, please cancel my subscription.',
  'Could you please refund my last order?',
  'I want to close my account',
  "I'd like to upgrade my plan",
  'Thanks! Now delete all of my data.',
  'Go ahead and renew our contract',
  'Please end my membership',
  'My card is lost, so block my card',
  'I want a refund.',
  'Give me my money back',
  'My order is broken, cancel my order',
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
  'Book recommendations please',
  'Open question: what is love?',
  'Change is hard, right?',
  'File formats: which is best?',
  'Set theory basics please',
  'Call it a day?',
  'Run me through your favourite film',
  'Charge of the Light Brigade: who wrote it?',
])('"%s" does not', (message) => {
  expect(asksForAction(message)).toBe(false);
});
