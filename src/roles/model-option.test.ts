/** Model planners refuse an option that is no model and name the remedy. */
import { planFirst, reactive } from 'ambit';
import { describe, expect, test } from 'vitest';

describe.each([
  ['planFirst', planFirst],
  ['reactive', reactive],
] as const)('%s', (name, planner) => {
  test.each([
    ['the name of a model', { model: 'anthropic/claude' }, 'input_invalid', 'not the name "anthropic/claude"'],
    ['a function', { model: () => 1 }, 'input_invalid', 'not a function'],
    ['no model', {}, 'input_missing', 'or a modelProfile'],
    ['nothing', undefined, 'input_missing', 'or a modelProfile'],
  ])('refuses %s', (_what, options, code, words) => {
    const create = () => planner(options as never);
    expect(create).toThrow(expect.objectContaining({ code, path: '/model', message: expect.stringContaining(words) }));
    expect(create).toThrow(`${name}: model is a model of the AI SDK, such as openai('gpt-5.4')`);
  });
});
