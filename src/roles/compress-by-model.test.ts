/** Proves that a context of which nothing may go is not put to a model. */
import { expect, test } from 'vitest';
import { KEPT_CLASSES } from '../model/compression.ts';
import type { ModelDesk, ModelProfile } from '../ports/language-model.ts';
import type { CompressionRequest } from '../ports/reviewer.ts';
import { compressByModel } from './compress-by-model.ts';

test('with nothing loose everything is kept, by its name, and nobody is asked', async () => {
  const kept = Object.fromEntries(KEPT_CLASSES.map((name) => [name, { one: 1, two: 2 }]));
  const context = { kept, loose: [], demoted: [] } as unknown as CompressionRequest['context'];
  const nobody = {
    ask: async () => {
      throw new Error('a model was asked');
    },
  } as unknown as ModelDesk;
  expect(await compressByModel({} as ModelProfile, { context, texts: new Map(), tokens: 900 }, nobody)).toEqual({
    kept: Object.fromEntries(KEPT_CLASSES.map((name) => [name, ['one', 'two']])),
    dropped: [],
    digest: '',
  });
});
