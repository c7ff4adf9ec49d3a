/** Proves that a rewrite replaces exactly the sentences that were not accepted: none is shown twice, none is lost. */
import { expect, test } from 'vitest';
import type { RewrittenSentence } from '../../../src/model/evidence/answer.ts';
import { ACCOUNT_REF, billingRig, INVOICE_REF, QUESTION, scriptedComposer, sentence } from './bench.ts';

const PLAN = sentence('Your plan is Pro.', [ACCOUNT_REF, '/plan']);
const PAID = sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on']);
const TOTAL = sentence('The total is €49.90.', [INVOICE_REF, '/total_cents']);
const WRONG_PLAN = sentence('Your plan is Free.', [ACCOUNT_REF, '/plan']);
const WRONG_PAID = sentence('Invoice INV-7 was paid on 9 May 2026.', [INVOICE_REF, '/paid_on']);
const WRONG_TOTAL = sentence('The total is €94.90.', [INVOICE_REF, '/total_cents']);

const numbered = (number: number, one: RewrittenSentence): RewrittenSentence => ({ ...one, number });

async function answer(...compositions: readonly (readonly RewrittenSentence[])[]): Promise<string | null> {
  const bench = billingRig(scriptedComposer(compositions));
  const outcome = await bench.invoke({ goal: { statement: QUESTION } });
  // A replay derives the same answer.
  await bench.runtime.records.replay(outcome.runId);
  return outcome.text;
}

test('a rewrite that repeats an accepted sentence replaces only the other one', async () => {
  expect(await answer([PLAN, WRONG_PAID], [PLAN, PAID])).toBe(`${PLAN.text} ${PAID.text}`);
});

test('a repeated sentence counts as a repetition with other spaces and letter case', async () => {
  const again = { ...PLAN, text: ' your plan  is Pro. ' };
  expect(await answer([PLAN, WRONG_PAID], [PAID, again])).toBe(`${PLAN.text} ${PAID.text}`);
});

test('a rewrite in another order is matched by the numbers of the sentences', async () => {
  const text = await answer([WRONG_PLAN, WRONG_PAID], [numbered(2, PAID), numbered(1, PLAN)]);
  expect(text).toBe(`${PLAN.text} ${PAID.text}`);
});

test('a number that no sentence has leaves its place to the facts', async () => {
  const text = await answer([WRONG_PLAN, WRONG_PAID], [numbered(2, PAID), numbered(7, PLAN)]);
  expect(text).toBe(`Plan: Pro. ${PAID.text}`);
});

test('too few sentences without numbers replace those that cite the same field, and facts the others', async () => {
  expect(await answer([WRONG_PLAN, WRONG_PAID], [PAID])).toBe(`Plan: Pro. ${PAID.text}`);
});

test('a sentence that could replace two others replaces none', async () => {
  const both = sentence(
    'The total is €49.90, paid on 3 May 2026.',
    ...[TOTAL, PAID].flatMap(({ cites }) => cites).map(({ ref, pointer }) => [ref, pointer] as const),
  );
  expect(await answer([WRONG_TOTAL, WRONG_PAID], [both])).toBe('Total: 49.90 EUR. Paid on: 3 May 2026. Plan: Pro.');
});

test('too many sentences do not push others away', async () => {
  expect(await answer([WRONG_PLAN, PAID], [PLAN, TOTAL])).toBe(`${PLAN.text} ${PAID.text}`);
});

test('equal sentences of a first composition are shown once', async () => {
  expect(await answer([PLAN, PLAN, PAID, { ...PLAN, text: 'Your plan is  Pro.' }])).toBe(`${PLAN.text} ${PAID.text}`);
});
