import type { ModelPrompt } from '../ports/language-model.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import { compressByModel } from './compress-by-model.ts';
import { mostFor } from './desk/spending.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type ModelRoleOptions, modelRole } from './model-role.ts';
import { COMPRESS_TEMPLATE } from './prompts/compress.ts';
import { REFLECT_TEMPLATE } from './prompts/reflect.ts';
import { reflectByModel } from './reflect-by-model.ts';

/** What is shown of a context that has to be compressed is the larger of the two. */
const INPUT_TOKENS = 50_000;

/** Looks back with a model: at what went wrong, and at what a crowded context may be shown without. */
export function modelReviewerWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Reviewer {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelReviewer', options);
    return {
      uses: [
        { role: 'reflector', profile, templates: [idOf(REFLECT_TEMPLATE)] },
        { role: 'compressor', profile, templates: [idOf(COMPRESS_TEMPLATE)] },
      ],
      cost: mostFor(profile, INPUT_TOKENS),
      reflect: (request, _signal, desk) => reflectByModel(profile, request, desk),
      compress: (request, _signal, desk) => compressByModel(profile, request, desk),
      ...time,
    };
  };
}

const idOf = ({ name, version }: ModelPrompt['template']): string => `${name}@${version}`;
