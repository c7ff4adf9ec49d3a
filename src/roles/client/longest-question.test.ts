import { scriptedModel } from 'ambit/testing';
import { expect, test } from 'vitest';
import type { ModelProfile, RetryPolicy } from '../../ports/model/language-model.ts';
import { longestQuestionMs } from './retry.ts';

const profile = (changes: Partial<ModelProfile> = {}): ModelProfile => ({
  name: 'any',
  model: scriptedModel([]),
  fallbacks: [],
  parameters: { temperature: null, outputTokensMax: 100, structured: true },
  requestTimeoutMs: 20_000,
  price: null,
  ...changes,
});
const retry: RetryPolicy = { attempts: 3, baseMs: 1_000, jitter: 0.5, waitMsMax: 30_000 };

test.each<[what: string, changes: Partial<ModelProfile>, ms: number]>([
  ['includes four attempts and three waits by default', {}, 4 * 20_000 + 550 + 1_100 + 2_200],
  ['is one timeout for one attempt', { retry: { ...retry, attempts: 1 } }, 20_000],
  ['includes doubling waits with the most jitter', { retry }, 3 * 20_000 + 1_500 + 3_000],
  [
    'includes all attempts of every fallback',
    { retry, fallbacks: [scriptedModel([]), scriptedModel([])] },
    3 * (3 * 20_000 + 1_500 + 3_000),
  ],
])('%s', (_what, changes, ms) => {
  expect(longestQuestionMs(profile(changes))).toBe(ms);
});
