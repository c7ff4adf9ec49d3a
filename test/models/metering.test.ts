/** The cost of model requests: reported usage is charged, missing usage is estimated, and an overrun is recorded. */
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { knownModels } from '../../src/adapters/ai-sdk/models/known-models.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { addCost, NO_COST, type ToolCost } from '../../src/model/tool/tool.ts';
import { ANSWER_LENGTH_MAX, type Generated, type ReportedUsage } from '../../src/ports/model/language-model.ts';
import { answerWith, bench, PLENTY, profileOf, silence } from './model-client-bench.ts';
import { ASKING, PROMPT } from './wires.ts';

const PRICE = { input: 3_000_000, output: 15_000_000 };

describe('charges', () => {
  test("charge the reported usage at the model's price, rounded up", async () => {
    const { model, ask, account, left } = bench();
    const counting = model('counting', async () => answerWith('ok', { input_tokens: 1_234, output_tokens: 77 }), PRICE);
    await ask(profileOf(counting));
    const spent = { input_tokens: 1_234, output_tokens: 77, microusd: 4_857 };
    expect(account()).toMatchObject({ spent, calls: [{ spent, measured: true }] });
    expect(left()).toEqual({ ...PLENTY, input_tokens: 998_766, output_tokens: 999_923, microusd: 999_995_143 });
  });

  test('are estimated if the provider reports no usage', async () => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('mute', async () => answerWith('An answer of some words.'), PRICE)));
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
  ])('are estimated for missing or implausible usage: %j', async ([usage, kept]) => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('half', async () => answerWith('Some words.', usage), PRICE)));
    const { spent } = account();
    expect(spent).toMatchObject(kept);
    expect(spent.input_tokens).toBeGreaterThan(10);
    expect(spent.output_tokens).toBeGreaterThan(2);
  });

  test('include requests that timed out, because the provider read their prompt', async () => {
    const { model, ask, account } = bench();
    await ask(profileOf(model('slow', silence, PRICE), { retry: { attempts: 2 } }));
    const [first, second] = account().calls;
    expect(first?.spent.input_tokens).toBeGreaterThan(10);
    expect(account().spent).toEqual(addCost(first?.spent ?? NO_COST, second?.spent ?? NO_COST));
  });

  test('include an abandoned request', async () => {
    const { model, ask, account, stop, left } = bench();
    const profile = profileOf(model('slow', silence, PRICE), { outputTokensMax: 1_000 });
    const asked = ask(profile);
    await Promise.resolve();
    // The maximum of the request is reserved while it is in flight.
    expect(left().output_tokens).toBe(PLENTY.output_tokens - 1_000);
    const [call] = account().calls;
    expect(call).toMatchObject({ outcome: 'called_back', response: null, measured: false });
    expect(call?.spent.input_tokens).toBeGreaterThan(10);
    stop.abort();
    expect(await asked).toMatchObject({ ok: false, fault: { code: 'model_timeout' } });
    expect(account().calls).toMatchObject([{ outcome: 'called_back' }]);
  });

  test("include an abandoned request to a fallback, under the fallback's name", async () => {
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

  test('are zero for a request that never reached a model', async () => {
    const { model, ask, account } = bench();
    const fault = new Fault('model_misconfigured', 'no key');
    await ask(profileOf(model('locked', async () => ({ ok: false, fault, retryAfterMs: 0 }), PRICE)));
    expect(account().spent).toEqual(NO_COST);
  });

  test('cover the usage that a provider reports for an interrupted answer', async () => {
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

  test('rise for a long prompt if the price does', async () => {
    const beyond = { inputTokens: 1_000, input: 6_000_000, output: 30_000_000 };
    const { model, ask, account } = bench();
    const usage = { input_tokens: 1_001, output_tokens: 1 };
    await ask(profileOf(model('long', async () => answerWith('x', usage), { ...PRICE, beyond })));
    expect(account().spent.microusd).toBe(Math.ceil((1_001 * 6_000_000 + 30_000_000) / 1_000_000));
  });
});

describe('the allowance', () => {
  test('is checked before a request is sent: a request that does not fit is not made', async () => {
    const { model, ask, account } = bench({ input_tokens: 10_000, output_tokens: 499, microusd: 1_000_000 });
    const never = model('never', async () => answerWith('x'), PRICE);
    expect(await ask(profileOf(never, { outputTokensMax: 500 }))).toMatchObject({
      ok: false,
      fault: { code: 'budget_exhausted', message: expect.stringContaining('Not enough is left to ask the model.') },
    });
    expect(never.askedAt).toEqual([]);
    expect(account()).toEqual({ calls: [], blobs: [], spent: NO_COST });
  });

  test('is not spent twice by concurrent requests', async () => {
    const { model, ask, account } = bench({ input_tokens: 100_000, output_tokens: 1_500, microusd: 1_000_000 });
    const usage = { input_tokens: 50, output_tokens: 1_000 };
    const busy = model('busy', async () => answerWith('x', usage));
    const profile = profileOf(busy, { outputTokensMax: 1_000 });
    const both = await Promise.all([ask(profile), ask(profile)]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(account().spent.output_tokens).toBe(1_000);
  });

  test('can only be overrun by a provider: the overrun is charged and recorded, and no request follows', async () => {
    const { model, ask, account } = bench({ input_tokens: 100_000, output_tokens: 1_000, microusd: 1_000_000 });
    const greedy = model('greedy', async () => answerWith('x', { input_tokens: 10, output_tokens: 50_000 }));
    const profile = profileOf(greedy, { outputTokensMax: 400 });
    expect(await ask(profile)).toMatchObject({ ok: true });
    expect(await ask(profile)).toMatchObject({ ok: false, fault: { code: 'budget_exhausted' } });
    expect(account()).toMatchObject({ spent: { output_tokens: 50_000 }, calls: [{ overrun: true }] });
    expect(greedy.askedAt).toHaveLength(1);
  });

  test('law: charges at least the reported usage, and never exceeds the allowance without a recorded overrun', async () => {
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
            return ok ? answerWith('words', usage) : { ok: false, fault, retryAfterMs: 0, usage };
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

describe('the record', () => {
  test('holds the prompt and the answer verbatim, each under its address', async () => {
    const { model, ask, account } = bench();
    const profile = profileOf(
      model('m/one', async () => answerWith('{"answer":"yes"}')),
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
        parameters: { temperature: 0.5, outputTokensMax: 8_192, structured: true },
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

  test('can always be stored: replaces lone surrogates and invalid model names', async () => {
    const { model, ask, account } = bench();
    const odd: Generated = { ok: true, answer: { text: 'a\ud800b', finish: 'stop', usage: null, model: 'no name\n!' } };
    expect(await ask(profileOf(model('m/odd', async () => odd)))).toMatchObject({ ok: true, text: 'a\ufffdb' });
    expect(account().calls).toMatchObject([{ model: 'm/odd' }]);
    expect(account().blobs.every(({ text }) => text.isWellFormed())).toBe(true);
  });

  test('holds no answer beyond the length limit, but its charge', async () => {
    const { model, ask, account } = bench();
    const flood = model('flood', async () =>
      answerWith('x '.repeat(ANSWER_LENGTH_MAX), { input_tokens: 5, output_tokens: 900 }),
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
  ])('extracts JSON from %j', async ([text, json]) => {
    const { model, ask } = bench();
    const asked = await ask(profileOf(model('m', async () => answerWith(text))), ASKING);
    expect(asked).toMatchObject({ ok: true, text });
    expect(asked.ok && asked.json).toEqual(json);
  });

  test.for(['```', '{', '[', '```\n'])('parses a long answer of repeated %j quickly', async (unit) => {
    const { model, ask } = bench();
    // CPU time, because the elapsed time also depends on other processes.
    const before = process.cpuUsage();
    const text = unit.repeat(ANSWER_LENGTH_MAX / unit.length);
    expect(await ask(profileOf(model('m', async () => answerWith(text))), ASKING)).toMatchObject({ ok: true });
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
