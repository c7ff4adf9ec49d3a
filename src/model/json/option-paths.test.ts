import { expect, test } from 'vitest';
import { optionPaths } from './option-paths.ts';

test('lists options and the options of plain objects, without undefined ones and values of other kinds', () => {
  class Store {
    readonly file = 'a.db';
  }
  const options = {
    name: 'support',
    tools: [{ spec: {} }],
    effects: { produces: [], sideEffect: undefined },
    store: new Store(),
    output: undefined,
    judges: null,
  };
  expect(optionPaths(options)).toEqual(['name', 'tools', 'effects', 'effects.produces', 'store', 'judges']);
});
