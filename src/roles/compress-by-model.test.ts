/** Compression without droppable material calls no model. */
import { expect, test } from 'vitest';
import { KEPT_CLASSES } from '../model/evidence/compression.ts';
import type { ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { CompressionRequest } from '../ports/model/model-roles.ts';
import { compressByModel } from './model-reviewer.ts';

test('keeps everything by name and calls no model if nothing is droppable', async () => {
  const kept = Object.fromEntries(KEPT_CLASSES.map((name) => [name, { one: 1, two: 2 }]));
  const context = { kept, loose: [], demoted: [] } as unknown as CompressionRequest['context'];
  const nobody = {
    ask: async () => {
      throw new Error('a model was asked');
    },
  } as unknown as ModelClient;
  expect(await compressByModel({} as ModelProfile, { context, texts: new Map(), tokens: 900 }, nobody)).toEqual({
    kept: Object.fromEntries(KEPT_CLASSES.map((name) => [name, ['one', 'two']])),
    dropped: [],
    digest: '',
  });
});
