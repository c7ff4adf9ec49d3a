/** Model profiles and the checks on them before a run. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/adapters/ai-sdk/models/connect.ts';
import { Fault, modelProfile } from '../../src/index.ts';
import type { ForeignModel, LanguageModel } from '../../src/ports/model/language-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { answered, PARAMETERS, PROMPT, sdkModel } from './wires.ts';

const NOWHERE = 'http://127.0.0.1:9';

describe('a profile', () => {
  test('has a price, bounds and a retry policy by default', () => {
    expect(modelProfile(sdkModel('anthropic', NOWHERE))).toMatchObject({
      name: 'anthropic.messages/claude-sonnet-4-5',
      model: { id: 'anthropic.messages/claude-sonnet-4-5' },
      fallbacks: [],
      parameters: { temperature: null, outputTokensMax: 8_192, structured: true },
      price: { input: 3_000_000, output: 15_000_000 },
      retry: { attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 },
    });
  });

  test('takes options that override the defaults', () => {
    const local = sdkModel('openai', NOWHERE);
    const profile = modelProfile(local, {
      name: 'careful',
      requestTimeoutMs: 5_000,
      temperature: 0,
      outputTokensMax: 900,
      answers: { structured: false, streaming: true },
      price: 'free',
      fallbacks: [
        sdkModel('anthropic', NOWHERE),
        { model: local, price: { input: 1_000, output: 2_000 } },
        { model: local, price: 'free' },
      ],
      retry: { attempts: 2 },
    });
    expect(profile).toMatchObject({
      name: 'careful',
      parameters: { temperature: 0, outputTokensMax: 900, structured: false, streaming: true },
      price: { input: 0, output: 0 },
      fallbacks: [
        { model: { id: 'anthropic.messages/claude-sonnet-4-5' }, price: { input: 3_000_000 } },
        { model: { id: 'local.chat/small-1' }, price: { input: 1_000, output: 2_000 } },
        { model: { id: 'local.chat/small-1' }, price: { input: 0, output: 0 } },
      ],
      retry: { attempts: 2, baseMs: 500 },
    });
  });

  test('reserves less output by default if none of its models can reason', () => {
    const named = (id: string): LanguageModel => ({ ...scriptedModel([]), id });
    const limit = (...[first = '', ...others]: readonly string[]): number =>
      modelProfile(named(first), { fallbacks: others.map(named) }).parameters.outputTokensMax;
    expect(limit('openai.chat/gpt-4o-2024-08-06')).toBe(4_096);
    expect(limit('mistral.chat/codestral-latest', 'openai.responses/gpt-4.1')).toBe(4_096);
    expect(limit('openai.chat/gpt-4o', 'openai.responses/gpt-5')).toBe(8_192);
    expect(limit('azure.chat/gpt-4o')).toBe(8_192);
  });

  test('of a model without a known price is rejected, and the message names both remedies', () => {
    const unknown = sdkModel('openai', NOWHERE);
    const refusal = /the price of local.chat\/small-1 is unknown: give its profile a price.* or 'free'/;
    expect(() => modelProfile(unknown)).toThrow(refusal);
    expect(() => modelProfile(scriptedModel([]), { fallbacks: [unknown] })).toThrow(refusal);
    expect(() => modelProfile(unknown, { price: 'free' })).not.toThrow();
  });

  test.for<readonly [string, object, string]>([
    ['a name with blanks', { name: 'my model' }, '/name'],
    ['a zero timeout', { requestTimeoutMs: 0 }, '/requestTimeoutMs'],
    ['a timeout of a day', { requestTimeoutMs: 86_400_000 }, '/requestTimeoutMs'],
    ['a temperature above the maximum', { temperature: 3 }, '/temperature'],
    ['an output limit of zero', { outputTokensMax: 0 }, '/outputTokensMax'],
    ['a fractional output limit', { outputTokensMax: 1.5 }, '/outputTokensMax'],
    ['an output limit above the maximum', { outputTokensMax: 500_001 }, '/outputTokensMax'],
    ['a text as a boolean', { answers: { structured: 'yes' } }, '/answers/structured'],
    ['a negative price', { price: { input: -1, output: 0 } }, '/price'],
    ['an incomplete price', { price: { input: 1_000_000 } }, '/price'],
    ['a price in dollars', { price: { input: 2.5, output: 15 } }, '/price/input'],
    ['a number as a price', { price: 3 }, '/price'],
    [
      'a fallback price in dollars',
      { fallbacks: [{ model: scriptedModel([]), price: { input: 0.1, output: 1 } }] },
      '/input',
    ],
    ['a fallback without its price', { fallbacks: [{ model: scriptedModel([]) }] }, ''],
    ['zero attempts', { retry: { attempts: 0 } }, '/retry/attempts'],
    ['a misspelt option', { timeout: 5 }, '/timeout'],
    ['a fallback that is no list', { fallbacks: scriptedModel([]) }, '/fallbacks'],
  ])('is rejected for %s', ([, options, path]) => {
    let thrown: unknown;
    try {
      modelProfile(scriptedModel([]), options);
    } catch (error) {
      thrown = error;
    }
    expect(Fault.is(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'input_invalid', path: expect.stringContaining(path) });
  });
});

describe('a model', () => {
  test.for([
    ['openai/gpt-5', "give the model itself, such as openai('…')"],
    ['gpt-5', "such as openai('…')"],
  ])('given as a gateway name (%s) is rejected with the replacement', ([id, fix]) => {
    expect(() => modelProfile(id as unknown as ForeignModel)).toThrow(fix);
  });

  test('with an unsupported interface version is rejected', () => {
    const old = { specificationVersion: 'v2', provider: 'old', modelId: 'one', doGenerate: async () => ({}) };
    expect(() => connect(old)).toThrow(
      "one speaks version v2 of the AI SDK's model interface; v3 and v4 are understood",
    );
  });

  test.for([null, undefined, 7, {}, { modelId: 'x' }, { doGenerate: 1, modelId: 'x' }])(
    'that is not a model (%j) is rejected',
    (model) => {
      expect(() => modelProfile(model as unknown as ForeignModel)).toThrow('this is no language model');
    },
  );

  test('with the previous interface version is accepted', async () => {
    const third = {
      specificationVersion: 'v3',
      provider: 'third',
      modelId: 'one two',
      doGenerate: async () => ({
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'tool-call', toolName: 'x', input: '{}' },
          { type: 'text', text: 'lo' },
        ],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } },
        warnings: [],
      }),
    };
    const model = connect(third);
    expect(model.id).toBe('third/one-two');
    // The model cannot stream, so `streaming` is ignored.
    const generated = await model.generate(PROMPT, { ...PARAMETERS, streaming: true }, new AbortController().signal);
    expect(answered(generated)).toEqual({
      text: 'Hello',
      finish: 'stop',
      usage: { input_tokens: 3, output_tokens: 4 },
      model: 'third/one-two',
    });
  });

  test.for<readonly [unknown, object]>([
    [{}, { ok: true, answer: { text: '', finish: 'other', usage: null } }],
    [
      { content: 'text', finishReason: 'stop', usage: 7 },
      { ok: true, answer: { text: '', finish: 'stop', usage: null } },
    ],
    [{ content: [null, { type: 'text' }, { type: 'text', text: 5 }] }, { ok: true, answer: { text: '5' } }],
    [
      { finishReason: { unified: 'error' }, usage: { inputTokens: { total: 9 } } },
      { ok: false, usage: { input_tokens: 9 } },
    ],
    [null, { ok: false, fault: { code: 'model_rejected' } }],
    ['nonsense', { ok: true, answer: { text: '' } }],
  ])('that answers %j gives a valid result', async ([result, expected]) => {
    const strange = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doGenerate: async () => result };
    const generated = await connect(strange).generate(PROMPT, PARAMETERS, new AbortController().signal);
    expect(generated).toMatchObject(expected);
  });

  test('without a key is reported as misconfigured', async () => {
    const error = Object.assign(new Error('API key is missing'), { name: 'AI_LoadAPIKeyError' });
    const locked = {
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      doGenerate: () => {
        throw error;
      },
    };
    const generated = await connect(locked).generate(PROMPT, PARAMETERS, new AbortController().signal);
    expect(generated).toMatchObject({
      ok: false,
      fault: { code: 'model_misconfigured', message: 'p/m: API key is missing' },
    });
  });
});
