/** Every part that takes a model accepts a plain model and a model profile. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { modelClassifier, modelDrafter, modelJudge, modelProfile, modelReviewer, promptTool } from '../../src/index.ts';
import type { ModelUse } from '../../src/ports/model/language-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

type ModelOption = Parameters<typeof modelDrafter>[0]['model'];

const PARTS: Readonly<Record<string, (model: ModelOption) => { readonly uses?: readonly ModelUse[] }>> = {
  modelJudge: (model) =>
    modelJudge({ name: 'tone', version: '1', model, safer: model, criteria: { kind: 'It is kind.' } }),
  modelClassifier: (model) => modelClassifier({ model }),
  modelReviewer: (model) => modelReviewer({ model }),
  modelDrafter: (model) => modelDrafter({ model }),
  promptTool: (model) =>
    promptTool({
      name: 'sum',
      description: 'Sums up',
      model,
      prompt: { version: '1', system: 'Sum up.', text: () => '' },
      inputSchema: z.object({}),
      outputSchema: z.object({}),
    }),
};

test.each(Object.entries(PARTS))('%s', (name, part) => {
  const model = scriptedModel([]);
  const bare = part(model).uses ?? [];
  expect(bare.length).toBeGreaterThan(0);
  for (const { profile } of bare) expect(profile).toMatchObject({ name: 'scripted/scripted-1' });
  for (const { profile } of part(modelProfile(model, { name: 'slow', requestTimeoutMs: 50_000 })).uses ?? []) {
    expect(profile).toMatchObject({ name: 'slow', requestTimeoutMs: 50_000 });
  }
  for (const wrong of ['openai/gpt-5.4', undefined]) {
    expect(() => part(wrong as unknown as ModelOption)).toThrow(`${name}: model is a model of the AI SDK`);
  }
});
