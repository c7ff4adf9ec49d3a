/** Proves that no sentence which the facts do not prove is shown, and that rulings are derived again in a replay. */
import { expect } from 'vitest';
import type { ComposedSentence } from '../../../src/model/evidence/answer.ts';
import { vaults } from '../../../src/store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';
import { type ScriptedComposer, scriptedComposer, sentence } from './bench.ts';

const TRANSFER = { payer: 'Ann Lee', payee: 'Bob Roe', amount_cents: 3000, currency: 'EUR', phone: '+44 20 7946 0958' };

const WRONG: readonly (readonly [kind: string, sentence: ComposedSentence])[] = [
  ['changes one number', sentence('The amount is €30.50.', ['ev_1', '/amount_cents'])],
  ['swaps one name', sentence('The payer is Bob Roe.', ['ev_1', '/payer'])],
  ['invents one effect', sentence('I have refunded the amount of €30.00.', ['ev_1', '/amount_cents'])],
  ['leaks a sealed field', sentence('The phone is +44 20 7946 0958.', ['ev_1', '/phone'])],
];

const transferRig = (composer: ScriptedComposer): ReturnType<typeof rig> =>
  rig({
    tools: {
      transfer: { trusted: true, produces: ['done'], privacy: { seals: ['/phone'] }, execute: async () => TRANSFER },
    },
    plans: [planOf([{ id: 'a', tool: 'transfer' }])],
    world: { composer, vault: vaults.inMemory() },
  });

for (const [kind, wrong] of WRONG)
  verifies(
    'answer:grounding:checked-before-release',
    `a composer that ${kind}: not released, asked once more, then stated`,
    async () => {
      const composer = scriptedComposer([[wrong], [wrong]]);
      const bench = transferRig(composer);
      const { runId, terminalCode, text } = await bench.invoke({ goal: { statement: 'Who paid, and how much?' } });
      expect(terminalCode).toBe('SUCCESS');
      expect(text).not.toContain(wrong.text);
      expect(text).not.toContain(TRANSFER.phone);
      expect(composer.requests.map(({ rewrite }) => rewrite.map(({ text }) => text))).toEqual([[], [wrong.text]]);
      const events = await bench.events(runId);
      expect(events.filter(({ type }) => type === 'sentences_ruled')).toMatchObject([
        { attempt: 1, rulings: [{ ruling: expect.stringMatching(/refused|not_provable/) }] },
        { attempt: 2, rulings: [{ ruling: expect.stringMatching(/refused|not_provable/) }] },
      ]);
      expect(events.filter(({ type }) => type === 'sentence_released')).toMatchObject([{ form: 'stated' }]);
      expect(await bench.runtime.records.replay(runId)).toMatchObject({
        state: { ending: { terminal: { code: 'SUCCESS' } } },
      });
    },
  );
