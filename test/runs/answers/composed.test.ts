/** Proves that a composed answer is released sentence by sentence, and only as far as the facts prove it. */
import { expect, test } from 'vitest';
import type { Composer } from '../../../src/ports/model/model-roles.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { REQUEST, type Rig, rig } from '../rig.ts';
import {
  ACCOUNT,
  ACCOUNT_REF,
  billingOptions,
  billingRig,
  INVOICE,
  INVOICE_REF,
  QUESTION,
  scriptedComposer,
  sentence,
} from './bench.ts';

const ask = (bench: Rig) => bench.invoke({ goal: { statement: QUESTION } });

const PLAN = sentence('Your plan is Pro.', [ACCOUNT_REF, '/plan']);
const PAID = sentence('You paid €49.90 on 3 May 2026.', [INVOICE_REF, '/total_cents'], [INVOICE_REF, '/paid_on']);
const WRONG = sentence('You paid €94.90 on 3 May 2026.', [INVOICE_REF, '/total_cents'], [INVOICE_REF, '/paid_on']);

test('shows proven sentences as composed, each with the fields that it rests on', async () => {
  const bench = billingRig(
    scriptedComposer([[PLAN, sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on'])]]),
  );
  const outcome = await ask(bench);
  expect(outcome).toMatchObject({
    terminalCode: 'SUCCESS',
    text: 'Your plan is Pro. Invoice INV-7 was paid on 3 May 2026.',
  });
  const events = await bench.events(outcome.runId);
  expect(events.filter(({ type }) => type === 'sentence_released')).toMatchObject([
    { index: 0, form: 'composed', fields: [{ ref: ACCOUNT_REF, pointer: '/plan' }] },
    { index: 1, form: 'composed' },
  ]);
});

test('has a refused sentence rewritten once, with the reason of the release check', async () => {
  const fixed = sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on']);
  const composer = scriptedComposer([[PLAN, WRONG], [fixed]]);
  const bench = billingRig(composer);
  const outcome = await ask(bench);
  expect(outcome.text).toBe('Your plan is Pro. Invoice INV-7 was paid on 3 May 2026.');
  expect(composer.requests[1]?.rewrite).toEqual([{ text: WRONG.text, reason: expect.stringContaining('94.90') }]);
});

test('replaces a sentence that stays unproven by the facts that it cites, without raw JSON', async () => {
  const bench = billingRig(scriptedComposer([[PLAN, WRONG], [WRONG]]));
  const outcome = await ask(bench);
  expect(outcome.text).toBe('Your plan is Pro. Total: 49.90 EUR. Paid on: 3 May 2026.');
  const events = await bench.events(outcome.runId);
  expect(events.findLast(({ type }) => type === 'sentence_released')).toMatchObject({ form: 'stated' });
  expect(events.filter(({ type }) => type === 'sentences_ruled')).toMatchObject([
    { attempt: 1, check: 'release@1', rulings: [{ ruling: 'proven' }, { ruling: 'refused' }] },
    { attempt: 2, rulings: [{ index: 1, ruling: 'refused' }] },
  ]);
});

test.each([
  ['an effect that no tool had', sentence('I have refunded your last payment.', [INVOICE_REF, '/total_cents'])],
  ['a promise', sentence('I guarantee that this price never changes.', [INVOICE_REF, '/total_cents'])],
  ['a swapped field', sentence('Your plan renews on 3 May 2026.', [ACCOUNT_REF, '/renews_on'])],
])('does not release %s', async (_, invented) => {
  const bench = billingRig(scriptedComposer([[invented], [invented]]));
  const outcome = await ask(bench);
  expect(outcome.text).not.toContain(invented.text);
});

test.each(['https://evil.example/login', 'www.evil.example', 'evil.example/login', 'mailto:me@evil.example'])(
  'does not send the user to a link of an outsider: %s',
  async (website) => {
    const visit = sentence(`Visit ${website}.`, [ACCOUNT_REF, '/website']);
    const account = { trusted: false, execute: async () => ({ ...ACCOUNT, website }) };
    const bench = billingRig(scriptedComposer([[PLAN, visit], [visit]]), { account });
    const outcome = await bench.invoke({ goal: { statement: 'Which plan am I on?' } });
    expect(outcome.text).not.toContain('Visit');
    expect(outcome.sentences.map(({ form }) => form)).toEqual(['composed']);
  },
);

test('answers in the deterministic form when the composer fails', async () => {
  const bench = billingRig(scriptedComposer([new Error('the model is down')]));
  const outcome = await ask(bench);
  const stated = 'The work is done.\nPlan: Pro.\nTotal: 49.90 EUR. Paid on: 3 May 2026.';
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: stated });
});

test('derives every ruling again in a replay', async () => {
  const bench = billingRig(scriptedComposer([[PLAN, WRONG], [PAID]]));
  const outcome = await ask(bench);
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.ending.answer?.released).toHaveLength(2);
});

test('the composer sees the committed facts with their references, and nothing else of the run', async () => {
  const composer = scriptedComposer([[PLAN]]);
  await ask(billingRig(composer));
  expect(composer.requests).toEqual([
    {
      goal: { statement: QUESTION },
      facts: [
        { ref: ACCOUNT_REF, tool: 'account', value: ACCOUNT, effect: false },
        { ref: INVOICE_REF, tool: 'invoice', value: INVOICE, effect: false },
      ],
      rewrite: [],
    },
  ]);
});

test('streams each sentence when it is released, and the pieces make up the text of the outcome', async () => {
  const bench = billingRig(scriptedComposer([[PLAN, WRONG], [WRONG]]));
  const run = bench.runtime.start({ message: QUESTION, user: { name: 'ada', tenant: 'tenant_a' } });
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of run.text) pieces.push(piece);
  })();
  const outcome = await bench.settle(run.settled);
  await bench.settle(reading);
  expect(pieces).toEqual(['Your plan is Pro.', ' Total: 49.90 EUR. Paid on: 3 May 2026.']);
  expect(pieces.join('')).toBe(outcome.text);
  expect(outcome.sentences.map(({ form }) => form)).toEqual(['composed', 'stated']);
});

test('a session that is paused while the composer writes releases its answer only when it continues', async () => {
  const asked = Promise.withResolvers<void>();
  const written = Promise.withResolvers<readonly (typeof PLAN)[]>();
  const composer = {
    cost: { input_tokens: 1, output_tokens: 1, microusd: 0 },
    compose: () => {
      asked.resolve();
      return written.promise;
    },
  };
  const bench = billingRig(composer);
  const run = bench.runtime.start({ message: 'Which plan am I on?', user: { name: 'ada', tenant: 'tenant_a' } });
  await bench.settle(asked.promise);
  const pausing = bench.runtime.sessions.send(run.id, { type: 'run_paused', cause: 'operator', by: 'ops_1' });
  for await (const { event } of run.events) if (event.type === 'run_paused') break;
  written.resolve([PLAN]);
  await bench.settle(pausing);
  expect(await bench.runtime.sessions.get(run.id)).toMatchObject({ status: 'paused', sentences: [] });
  const resumed = { type: 'run_resumed', by: 'ops_1', operator: true };
  const outcome = await bench.settle(bench.runtime.sessions.send(run.id, resumed));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: PLAN.text });
});

test('if a process dies during the rewrite, the next one continues after the last released sentence', async () => {
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const hanging: Composer = {
    cost: { input_tokens: 100, output_tokens: 50, microusd: 10 },
    compose: async () => {
      requests += 1;
      if (requests === 1) return [PLAN, WRONG];
      asked.resolve();
      return await new Promise<never>(() => undefined);
    },
  };
  const first = billingRig(hanging);
  void first.runtime.invoke({ ...REQUEST, goal: { statement: QUESTION } });
  await asked.promise;
  expect((await first.runtime.sessions.get('run_1')).sentences.map(({ text }) => text)).toEqual([PLAN.text]);

  const composer = scriptedComposer([[PAID]]);
  const second = restartProcess(first, billingOptions(composer));
  const outcome = await second.settle(second.runtime.resume('run_1'));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: `${PLAN.text} ${PAID.text}` });
  expect(composer.requests.map(({ rewrite }) => rewrite.map(({ text }) => text))).toEqual([[WRONG.text]]);
  const released = (await second.events('run_1')).flatMap((event) =>
    event.type === 'sentence_released' ? [event.text] : [],
  );
  expect(released).toEqual([PLAN.text, PAID.text]);
});

test('the answer of regulated work is not composed: no sentence is released before the review', async () => {
  const composer = scriptedComposer([]);
  const bench = rig({
    ...billingOptions(composer),
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, regulated: true })) }),
  });
  const outcome = await ask(bench);
  expect(outcome).toMatchObject({ suspended: { code: 'REVIEW_REQUIRED' }, text: null, sentences: [] });
  expect(composer.requests).toEqual([]);
});
