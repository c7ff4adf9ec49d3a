/** Proves that the sentences of an outcome are exactly the answer that the user reads. */
import { expect, test } from 'vitest';
import { type ComposedSentence, sentenceSeparator } from '../../../src/model/evidence/answer.ts';
import { ACCOUNT_REF, billingRig, INVOICE_REF, QUESTION, scriptedComposer, sentence } from './bench.ts';

const PLAN = sentence('Your plan is Pro.', [ACCOUNT_REF, '/plan']);
const PAID = sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on']);
const INVENTED = sentence('You paid €94.90.', ['ev_9', '/total_cents']);
const STATED = 'The work is done.\nPlan: Pro.\nTotal: 49.90 EUR. Paid on: 3 May 2026.';

async function ask(...compositions: readonly (readonly ComposedSentence[] | Error)[]) {
  const composer = scriptedComposer(compositions);
  const bench = billingRig(composer);
  const run = bench.runtime.start({ message: QUESTION, user: { name: 'ada', tenant: 'tenant_a' } });
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of run.text) pieces.push(piece);
  })();
  const outcome = await bench.settle(run.settled);
  await bench.settle(reading);
  await bench.runtime.records.replay(outcome.runId);
  const { sentences, text } = outcome;
  expect(sentences.map((one, at) => sentenceSeparator(sentences[at - 1], one) + one.text).join('')).toBe(text);
  expect(pieces.join('')).toBe(text);
  return { outcome, composer };
}

test('a dropped sentence without a usable citation is left out', async () => {
  const { outcome } = await ask([PLAN, INVENTED, PAID], [INVENTED]);
  expect(outcome.text).toBe(`${PLAN.text} ${PAID.text}`);
  expect(outcome.sentences.map(({ form }) => form)).toEqual(['composed', 'composed']);
});

test.each([
  ['every sentence is dropped', [[INVENTED], [INVENTED]]],
  ['the composer writes nothing', [[]]],
  ['the composer fails', [new Error('the model is down')]],
])('the facts that were asked for are the answer and its one sentence when %s', async (_, compositions) => {
  const { outcome } = await ask(...compositions);
  expect(outcome.sentences).toEqual([
    {
      text: STATED,
      form: 'stated',
      released_by: 'check',
      fields: [
        { ref: INVOICE_REF, pointer: '' },
        { ref: ACCOUNT_REF, pointer: '' },
      ],
      trusted: true,
      sources: ['invoice', 'account'],
    },
  ]);
});

test('facts that take the place of two sentences are shown once', async () => {
  const wrong = sentence('Your plan is Free.', [ACCOUNT_REF, '/plan']);
  const other = sentence('Your plan is Basic.', [ACCOUNT_REF, '/plan']);
  const { outcome } = await ask([wrong, PAID, other], [wrong, other]);
  expect(outcome.text).toBe(`Plan: Pro. ${PAID.text}`);
});

test('the reason for a citation of an unknown fact names the facts that there are', async () => {
  const { composer } = await ask([PLAN, INVENTED], [PAID]);
  expect(composer.requests[1]?.rewrite).toEqual([
    { text: INVENTED.text, reason: 'there is no fact ev_9; there are ev_1, ev_2' },
  ]);
});

test('a part of the question that the composer leaves out is answered by the facts', async () => {
  const { outcome } = await ask([PLAN]);
  expect(outcome.text).toBe(`${PLAN.text} Total: 49.90 EUR. Paid on: 3 May 2026.`);
  expect(outcome.sentences.at(-1)).toMatchObject({
    form: 'stated',
    fields: [
      { ref: INVOICE_REF, pointer: '/total_cents' },
      { ref: INVOICE_REF, pointer: '/paid_on' },
    ],
  });
});

test('a fact that no word of the question names is not added', async () => {
  const { outcome } = await ask([PAID]);
  expect(outcome.text).toBe(`${PAID.text} Plan: Pro.`);
  expect(outcome.text).not.toContain('renew');
});

test('a request for an action gets no facts that its words happen to name', async () => {
  const bench = billingRig(scriptedComposer([[PLAN]]));
  const outcome = await bench.invoke({ goal: { statement: 'Change my plan and pay the total' } });
  expect(outcome.text).toBe(PLAN.text);
});
