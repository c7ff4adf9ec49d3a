import type { ModelProfile } from '../ports/language-model.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import { compressByModel } from './compress-by-model.ts';
import { plainReviewer } from './plain-reviewer.ts';

/** Looks back with a model: it says what a crowded context may be shown without. */
export function modelReviewer({ model }: { readonly model: ModelProfile }): Reviewer {
  return {
    reflect: plainReviewer.reflect,
    compress: (request, _signal, desk) => compressByModel(model, request, desk),
  };
}
