import type { ModelProfile, ModelPrompt } from '../ports/language-model.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import { compressByModel } from './compress-by-model.ts';
import { mostFor } from './desk/spending.ts';
import { COMPRESS_TEMPLATE } from './prompts/compress.ts';
import { REFLECT_TEMPLATE } from './prompts/reflect.ts';
import { reflectByModel } from './reflect-by-model.ts';

/** What is shown of a context that has to be compressed is the larger of the two. */
const INPUT_TOKENS = 50_000;

/** Looks back with a model: at what went wrong, and at what a crowded context may be shown without. */
export function modelReviewer({ model }: { readonly model: ModelProfile }): Reviewer {
  return {
    uses: [
      { role: 'reflector', profile: model, templates: [idOf(REFLECT_TEMPLATE)] },
      { role: 'compressor', profile: model, templates: [idOf(COMPRESS_TEMPLATE)] },
    ],
    cost: mostFor(model, INPUT_TOKENS),
    reflect: (request, _signal, desk) => reflectByModel(model, request, desk),
    compress: (request, _signal, desk) => compressByModel(model, request, desk),
  };
}

const idOf = ({ name, version }: ModelPrompt['template']): string => `${name}@${version}`;
