/** What may be said about how a model is used, and what is said against it, before anything runs. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/adapters/ai-sdk/models/connect.ts';
import { Fault, modelProfile } from '../../src/index.ts';
import type { ForeignModel } from '../../src/ports/language-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { answered, PARAMETERS, PROMPT, sdkModel } from './wires.ts';

const NOWHERE = 'http://127.0.0.1:9';

describe('a profile', () => {
  test('is a model with a price, bounds and what is done when it fails', () => {
    expect(modelProfile(sdkModel('anthropic', NOWHERE))).toMatchObject({
      name: 'anthropic.messages/claude-sonnet-4-5',
      model: { id: 'anthropic.messages/claude-sonnet-4-5' },
      fallbacks: [],
      parameters: { temperature: null, outputTokensMax: 4_096, structured: true },
      timeoutMs: 20_000,
      price: { input: 3_000_000, output: 15_000_000 },
      retry: { attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 },
    });
  });

  test('says what differs', () => {
    const local = sdkModel('openai', NOWHERE);
    const profile = modelProfile(local, {
      name: 'careful',
      timeoutMs: 5_000,
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

  test('of a model whose price nobody knows is refused, with the two ways out', () => {
    const unknown = sdkModel('openai', NOWHERE);
    const refusal = /nobody knows what local.chat\/small-1 costs: give its profile a price.* or 'free'/;
    expect(() => modelProfile(unknown)).toThrow(refusal);
    expect(() => modelProfile(scriptedModel([]), { fallbacks: [unknown] })).toThrow(refusal);
    expect(() => modelProfile(unknown, { price: 'free' })).not.toThrow();
  });

  test.for<readonly [string, object, string]>([
    ['a name with blanks', { name: 'my model' }, '/name'],
    ['no time', { timeoutMs: 0 }, '/timeoutMs'],
    ['a day', { timeoutMs: 86_400_000 }, '/timeoutMs'],
    ['too hot', { temperature: 3 }, '/temperature'],
    ['no answer', { outputTokensMax: 0 }, '/outputTokensMax'],
    ['half a token', { outputTokensMax: 1.5 }, '/outputTokensMax'],
    ['more than would be taken', { outputTokensMax: 500_001 }, '/outputTokensMax'],
    ['a maybe', { answers: { structured: 'yes' } }, '/answers/structured'],
    ['money back', { price: { input: -1, output: 0 } }, '/price'],
    ['half a price', { price: { input: 1_000_000 } }, '/price'],
    ['a price in dollars', { price: { input: 2.5, output: 15 } }, '/price/input'],
    ['a number as a price', { price: 3 }, '/price'],
    [
      'a fallback in dollars',
      { fallbacks: [{ model: scriptedModel([]), price: { input: 0.1, output: 1 } }] },
      '/input',
    ],
    ['a fallback without its price', { fallbacks: [{ model: scriptedModel([]) }] }, ''],
    ['never asked', { retry: { attempts: 0 } }, '/retry/attempts'],
    ['a misspelt option', { timeout: 5 }, '/timeout'],
    ['one fallback, not a list', { fallbacks: scriptedModel([]) }, '/fallbacks'],
  ])('is refused for %s', ([, options, path]) => {
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
  ])('named behind a gateway (%s) is refused with what to give instead', ([id, fix]) => {
    expect(() => modelProfile(id as unknown as ForeignModel)).toThrow(fix);
  });

  test('of another generation is refused by its version', () => {
    const old = { specificationVersion: 'v2', provider: 'old', modelId: 'one', doGenerate: async () => ({}) };
    expect(() => connect(old)).toThrow(
      "one speaks version v2 of the AI SDK's model interface; v3 and v4 are understood",
    );
  });

  test.for([null, undefined, 7, {}, { modelId: 'x' }, { doGenerate: 1, modelId: 'x' }])(
    'that is none (%j) is refused',
    (model) => {
      expect(() => modelProfile(model as unknown as ForeignModel)).toThrow('this is no language model');
    },
  );

  test('of the generation before is understood', async () => {
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
    // It cannot stream, so it is not asked to.
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
  ])('that answers %j does no harm', async ([result, expected]) => {
    const strange = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doGenerate: async () => result };
    const generated = await connect(strange).generate(PROMPT, PARAMETERS, new AbortController().signal);
    expect(generated).toMatchObject(expected);
  });

  test('without a key says so, and is not asked again', async () => {
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
