import { scriptedModel } from 'ambit/testing';
import { expect, test } from 'vitest';
import type { ModelProfile, RetryPolicy } from '../../ports/language-model.ts';
import { longestQuestionMs } from './longest-question.ts';

const profile = (changes: Partial<ModelProfile> = {}): ModelProfile => ({
  name: 'any',
  model: scriptedModel([]),
  fallbacks: [],
  parameters: { temperature: null, outputTokensMax: 100, structured: true },
  timeoutMs: 20_000,
  price: null,
  ...changes,
});
const retry: RetryPolicy = { attempts: 3, baseMs: 1_000, jitter: 0.5, waitMsMax: 30_000 };

test.each<[what: string, changes: Partial<ModelProfile>, ms: number]>([
  ['four attempts where nothing is said, with three waits', {}, 4 * 20_000 + 550 + 1_100 + 2_200],
  ['one attempt is one request', { retry: { ...retry, attempts: 1 } }, 20_000],
  [
    'each wait twice the one before, and the most that chance may lengthen it by',
    { retry },
    3 * 20_000 + 1_500 + 3_000,
  ],
  [
    'every fallback is asked as often',
    { retry, fallbacks: [scriptedModel([]), scriptedModel([])] },
    3 * (3 * 20_000 + 1_500 + 3_000),
  ],
])('%s', (_what, changes, ms) => {
  expect(longestQuestionMs(profile(changes))).toBe(ms);
});
