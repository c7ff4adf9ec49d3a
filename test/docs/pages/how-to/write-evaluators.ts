import { deepEqual, equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, letter, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { greeting } = await load(1);
  const { cardNumber } = await load(2);
  const policy = { evaluators: { step: [greeting] }, detectors: [cardNumber] };
  const draft = (card: string) =>
    ambit({ agent: written({ tools: [letter] }, [step('draft_letter', { card })]), world: { policy } }).invoke({
      message: 'Draft a letter',
      user: ADA,
    });

  const judged = await draft('none');
  equal(judged.terminalCode, 'SUCCESS', JSON.stringify(judged));
  equal(judged.verdict?.step_scores[0]?.scores['greeting'], 1);

  const refused = await draft('4111 1111 1111 1111');
  deepEqual([refused.terminalCode === 'SUCCESS', refused.why.join(' ').includes('a card number')], [false, true]);
};
