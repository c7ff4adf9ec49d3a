/** Proves that a misspelt option is refused with those there are: it would be a bound that nobody keeps. */
import { ladderPlanner, modelJudge, modelProfile, planFirst, reactive } from 'ambit';
import { scriptedModel } from 'ambit/testing';
import { expect, test } from 'vitest';

const model = scriptedModel([]);

test.each<[of: string, make: () => unknown, message: string]>([
  [
    'planFirst',
    () => planFirst({ model, repair: 1 } as never),
    'planFirst: there is no option repair; there are model',
  ],
  ['reactive', () => reactive({ model, maxStep: 3 } as never), 'reactive: there is no option maxStep; there are model'],
  [
    'modelProfile',
    () => modelProfile(model, { timeout: 3 } as never),
    'modelProfile: there is no option timeout; there are name, timeoutMs',
  ],
  [
    'modelProfile, in retry',
    () => modelProfile(model, { retry: { attemps: 3 } } as never),
    'modelProfile: retry: there is no option attemps; there are attempts',
  ],
  ['modelJudge', () => modelJudge({ model, aplies: {} } as never), 'modelJudge: there is no option aplies'],
  [
    'modelJudge, in applies',
    () => modelJudge({ model, applies: { tool: [] } } as never),
    'modelJudge: applies: there is no option tool; there are tools, run, risk',
  ],
])('%s', (_of, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining(message) }));
});

test('a ladder without one of its planners says which, and who makes one', () => {
  const lacking = () => ladderPlanner({ written: {}, whole: planFirst({ model }) } as never);
  const message = 'ladderPlanner: stepwise is a planner, such as reactive({ model })';
  expect(lacking).toThrow(expect.objectContaining({ code: 'input_missing', path: '/stepwise', message }));
});
