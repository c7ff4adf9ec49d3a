/** What asking models costs: what providers report is charged, the rest is estimated, and bounds are kept or the overrun is on record. */
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { knownModels } from '../../src/adapters/ai-sdk/known-models.ts';
import { Fault } from '../../src/model/fault.ts';
import { addCost, NO_COST, type ToolCost } from '../../src/model/tool.ts';
import { ANSWER_LENGTH_MAX, type Generated, type ReportedUsage } from '../../src/ports/language-model.ts';
import { bench, PLENTY, profileOf, said, silence } from './bench-desk.ts';
import { ASKING, PROMPT } from './wires.ts';

const PRICE = { input: 3_000_000, output: 15_000_000 };

describe('what is charged', () => {
  test('is what the provider reports, at the price of its model, rounded up', async () => {
    const { model, ask, account, left } = bench();
    const counting = model('counting', async () => said('ok', { input_tokens: 1_234, output_tokens: 77 }), PRICE);
    await ask(profileOf(counting));
    const spent = { input_tokens: 1_234, output_tokens: 77, microusd: 4_857 };
    expect(account()).toMatchObject({ spent, calls: [{ spent, measured: true }] });
    expect(left()).toEqual({ ...PLENTY, input_tokens: 998_766, output_tokens: 999_923, microusd: 999_995_143 });
  });

  test('is estimated where the provider says nothing', async () => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('mute', async () => said('An answer of some words.'), PRICE)));
    const [call] = account().calls;
    expect(call?.measured).toBe(false);
    expect(call?.spent.output_tokens).toBe(knownModels.countTokens('An answer of some words.'));
    expect(call?.spent.input_tokens).toBeGreaterThan(knownModels.countTokens(PROMPT.system));
    expect(call?.spent.microusd).toBeGreaterThan(0);
  });

  test.for<readonly [ReportedUsage, Partial<ToolCost>]>([
    [{ input_tokens: 900, output_tokens: null }, { input_tokens: 900 }],
    [{ input_tokens: null, output_tokens: 900 }, { output_tokens: 900 }],
    [{ input_tokens: 0, output_tokens: 0 }, {}],
    [{ input_tokens: Number.NaN, output_tokens: -5 }, {}],
    [
      { input_tokens: 900.2, output_tokens: 3.5 },
      { input_tokens: 901, output_tokens: 4 },
    ],
  ])('is estimated for what the provider does not really say: %j', async ([usage, kept]) => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('half', async () => said('Some words.', usage), PRICE)));
    const { spent } = account();
    expect(spent).toMatchObject(kept);
    expect(spent.input_tokens).toBeGreaterThan(10);
    expect(spent.output_tokens).toBeGreaterThan(2);
  });

  test('includes requests that timed out: their prompt was read', async () => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('slow', silence, PRICE), { retry: { attempts: 2 } }));
    const [first, second] = account().calls;
    expect(first?.spent.input_tokens).toBeGreaterThan(10);
    expect(account().spent).toEqual(addCost(first?.spent ?? NO_COST, second?.spent ?? NO_COST));
  });

  test('includes what nobody waits for any more', async () => {
    const { model, ask, account, stop, left } = bench();
    const profile = profileOf(model('slow', silence, PRICE), { outputTokensMax: 1_000 });
    const asked = ask(profile);
    await Promise.resolve();
    // While it is under way all it may take is set aside.
    expect(left().output_tokens).toBe(PLENTY.output_tokens - 1_000);
    const [call] = account().calls;
    expect(call).toMatchObject({ outcome: 'called_back', response: null, measured: false });
    expect(call?.spent.input_tokens).toBeGreaterThan(10);
    stop.abort();
    expect(await asked).toMatchObject({ ok: false, fault: { code: 'model_timeout' } });
    expect(account().calls).toMatchObject([{ outcome: 'called_back' }]);
  });

  test('includes a fallback that nobody waits for any more, under its own name', async () => {
    const { model, ask, account, stop } = bench();
    const fault = new Fault('model_rejected', 'no');
    const first = model('first', async () => ({ ok: false, fault, retryAfterMs: 0 }), PRICE);
    const reached = Promise.withResolvers<void>();
    const answer = (): ReturnType<typeof silence> => {
      reached.resolve();
      return silence();
    };
    const asked = ask(profileOf(first, { fallbacks: [model('spare', answer, PRICE)] }));
    await reached.promise;
    expect(account().calls).toMatchObject([
      { model: 'first', outcome: 'failed', attempt: 1 },
      { model: 'spare', outcome: 'called_back', attempt: 2 },
    ]);
    stop.abort();
    expect(await asked).toMatchObject({ ok: false });
  });

  test('is nothing for what never reached a model', async () => {
    const { model, ask, account } = bench();
    const fault = new Fault('model_misconfigured', 'no key');
    await ask(profileOf(model('locked', async () => ({ ok: false, fault, retryAfterMs: 0 }), PRICE)));
    expect(account().spent).toEqual(NO_COST);
  });

  test('is what a provider reports of an answer that it broke off', async () => {
    const { model, ask, account } = bench();
    const usage = { input_tokens: 300, output_tokens: 20 };
    const fault = new Fault('model_unreachable', 'broken off');
    await ask(
      profileOf(
        model('torn', async () => ({ ok: false, fault, retryAfterMs: 0, usage }), PRICE),
        { retry: { attempts: 1 } },
      ),
    );
    expect(account().spent).toEqual({ ...usage, microusd: 1_200 });
  });

  test('goes up with a long prompt where the price does', async () => {
    const beyond = { inputTokens: 1_000, input: 6_000_000, output: 30_000_000 };
    const { model, ask, account } = bench();
    const usage = { input_tokens: 1_001, output_tokens: 1 };
    await ask(profileOf(model('long', async () => said('x', usage), { ...PRICE, beyond })));
    expect(account().spent.microusd).toBe(Math.ceil((1_001 * 6_000_000 + 30_000_000) / 1_000_000));
  });
});

describe('what may be spent', () => {
  test('is looked at before anything leaves: what does not fit is not asked', async () => {
    const { model, ask, account } = bench({ input_tokens: 10_000, output_tokens: 499, microusd: 1_000_000 });
    const never = model('never', async () => said('x'), PRICE);
    expect(await ask(profileOf(never, { outputTokensMax: 500 }))).toMatchObject({
      ok: false,
      fault: { code: 'budget_exhausted', message: expect.stringContaining('Not enough is left to ask the model.') },
    });
    expect(never.askedAt).toEqual([]);
    expect(account()).toEqual({ calls: [], blobs: [], spent: NO_COST });
  });

  test('is not spent twice by questions that are asked at once', async () => {
    const { model, ask, account } = bench({ input_tokens: 100_000, output_tokens: 1_500, microusd: 1_000_000 });
    const usage = { input_tokens: 50, output_tokens: 1_000 };
    const busy = model('busy', async () => said('x', usage));
    const profile = profileOf(busy, { outputTokensMax: 1_000 });
    const both = await Promise.all([ask(profile), ask(profile)]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(account().spent.output_tokens).toBe(1_000);
  });

  test('can be overrun by a provider alone: charged, on record, and the last thing that is asked', async () => {
    const { model, ask, account } = bench({ input_tokens: 100_000, output_tokens: 1_000, microusd: 1_000_000 });
    const greedy = model('greedy', async () => said('x', { input_tokens: 10, output_tokens: 50_000 }));
    const profile = profileOf(greedy, { outputTokensMax: 400 });
    expect(await ask(profile)).toMatchObject({ ok: true });
    expect(await ask(profile)).toMatchObject({ ok: false, fault: { code: 'budget_exhausted' } });
    expect(account()).toMatchObject({ spent: { output_tokens: 50_000 }, calls: [{ overrun: true }] });
    expect(greedy.askedAt).toHaveLength(1);
  });

  test('a law: never less than was reported, never more than was allowed without an overrun on record', async () => {
    const tokens = fc.oneof(fc.constant(null), fc.nat(4_000), fc.constantFrom(-1, 0, 1e15, Number.NaN));
    const answer = fc.oneof(
      fc.record({ ok: fc.constant(true), input_tokens: tokens, output_tokens: tokens }),
      fc.record({ ok: fc.constant(false), input_tokens: tokens, output_tokens: tokens }),
    );
    const run = fc.record({
      answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
      allowance: fc.record({ input_tokens: fc.nat(6_000), output_tokens: fc.nat(6_000), microusd: fc.nat(100_000) }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ answers, allowance }) => {
        const { model, ask, account } = bench(allowance);
        const reported = { input_tokens: 0, output_tokens: 0 };
        const fault = new Fault('model_unreachable', 'x');
        const scripted = model(
          'scripted',
          async (turn): Promise<Generated> => {
            const { ok, ...usage } = answers[(turn - 1) % answers.length] ?? {
              ok: true,
              input_tokens: 1,
              output_tokens: 1,
            };
            reported.input_tokens += Math.min(Math.max(usage.input_tokens || 0, 0), 1e12);
            reported.output_tokens += Math.min(Math.max(usage.output_tokens || 0, 0), 1e12);
            return ok ? said('words', usage) : { ok: false, fault, retryAfterMs: 0, usage };
          },
          PRICE,
        );
        for (const _ of answers) await ask(profileOf(scripted, { outputTokensMax: 300 }));
        const { spent, calls } = account();
        expect(spent.input_tokens).toBeGreaterThanOrEqual(reported.input_tokens);
        expect(spent.output_tokens).toBeGreaterThanOrEqual(reported.output_tokens);
        const over = spent.input_tokens > allowance.input_tokens || spent.output_tokens > allowance.output_tokens;
        expect(calls.some(({ overrun }) => overrun === true)).toBe(over || spent.microusd > allowance.microusd);
        expect(calls.slice(0, -1).some(({ overrun }) => overrun === true)).toBe(false);
      }),
      { numRuns: 60 },
    );
  }, 30_000);
});

describe('what is kept', () => {
  test('is the prompt and the answer, word for word, each under its address', async () => {
    const { model, ask, account } = bench();
    const profile = profileOf(
      model('m/one', async () => said('{"answer":"yes"}')),
      { name: 'main', temperature: 0.5 },
    );
    expect(await ask(profile, ASKING)).toMatchObject({ ok: true, json: { answer: 'yes' } });
    const { calls, blobs } = account();
    const texts = new Map(blobs.map(({ address, text }) => [address, text]));
    expect(calls).toMatchObject([
      {
        role: 'planner',
        profile: 'main',
        model: 'said-1',
        template: 'test@1',
        parameters: { temperature: 0.5, outputTokensMax: 4_096, structured: true },
        attempt: 1,
        outcome: 'answered',
      },
    ]);
    const [call] = calls;
    expect(JSON.parse(texts.get(call?.prompt ?? 'sha256:') ?? '')).toMatchObject({
      system: 'You plan.',
      schema: { name: 'answer' },
    });
    expect(texts.get(call?.response ?? 'sha256:')).toBe('{"answer":"yes"}');
  });

  test('can always be stored: lone halves of characters and strange names are made whole', async () => {
    const { model, ask, account } = bench();
    const odd: Generated = { ok: true, answer: { text: 'a\ud800b', finish: 'stop', usage: null, model: 'no name\n!' } };
    expect(await ask(profileOf(model('m/odd', async () => odd)))).toMatchObject({ ok: true, text: 'a\ufffdb' });
    expect(account().calls).toMatchObject([{ model: 'm/odd' }]);
    expect(account().blobs.every(({ text }) => text.isWellFormed())).toBe(true);
  });

  test('is no answer that is longer than any that was asked for, and it is paid for', async () => {
    const { model, ask, account } = bench();
    const flood = model('flood', async () =>
      said('x '.repeat(ANSWER_LENGTH_MAX), { input_tokens: 5, output_tokens: 900 }),
    );
    const message = expect.stringMatching(/and 2000000 are taken: ask for less with outputTokensMax/);
    expect(await ask(profileOf(flood))).toMatchObject({ ok: false, fault: { code: 'model_rejected', message } });
    expect(account()).toMatchObject({ calls: [{ response: null, outcome: 'failed' }], spent: { output_tokens: 900 } });
    expect(account().blobs).toHaveLength(1);
  });

  test.for<readonly [string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['```\n[1,2]\n```', [1, 2]],
    ['I think {"a":{"b":2}} is it', { a: { b: 2 } }],
    ['the list [1, 2] it is', [1, 2]],
    ['As {you} said:\n```json\n{"a":1}\n```\nas {ever}', { a: 1 }],
    ['nothing of the kind', undefined],
    ['{"a":', undefined],
  ])('JSON is read out of %j', async ([text, json]) => {
    const { model, ask } = bench();
    const asked = await ask(profileOf(model('m', async () => said(text))), ASKING);
    expect(asked).toMatchObject({ ok: true, text });
    expect(asked.ok && asked.json).toEqual(json);
  });

  test.for(['```', '{', '[', '```\n'])('a flood of %j is read at once', async (unit) => {
    const { model, ask } = bench();
    // The time of the processor: how long it takes by the clock is also a matter of who else works here.
    const before = process.cpuUsage();
    const text = unit.repeat(ANSWER_LENGTH_MAX / unit.length);
    expect(await ask(profileOf(model('m', async () => said(text))), ASKING)).toMatchObject({ ok: true });
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
