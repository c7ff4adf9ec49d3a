/** Misspelt options are refused with a list of the known ones. */
import { ladderPlanner, modelJudge, modelProfile, planFirst, reactive } from 'ambit';
import { scriptedModel } from 'ambit/testing';
import { expect, test } from 'vitest';

const model = scriptedModel([]);

test.each<[of: string, make: () => unknown, message: string]>([
  [
    'planFirst',
    () => planFirst({ model, repair: 1 } as never),
    'planFirst: there is no option repair; there are repairs, ',
  ],
  ['reactive', () => reactive({ model, maxStep: 3 } as never), 'reactive: there is no option maxStep; there are '],
  [
    'modelProfile',
    () => modelProfile(model, { timeout: 3 } as never),
    'modelProfile: there is no option timeout; there are ',
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
])('refuses an unknown option: %s', (_of, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining(message) }));
});

test('names the missing planner of a ladder and an example', () => {
  const lacking = () => ladderPlanner({ written: {}, complete: planFirst({ model }) } as never);
  const message = 'ladderPlanner: stepwise is a planner, such as reactive({ model })';
  expect(lacking).toThrow(expect.objectContaining({ code: 'input_missing', path: '/stepwise', message }));
});
