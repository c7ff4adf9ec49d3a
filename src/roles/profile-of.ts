import type { ForeignModel, LanguageModel, ModelProfile } from '../ports/language-model.ts';
import { assertModelGiven } from './model-given.ts';
import type { ModelProfiles } from './model-profile.ts';

/** A model of the AI SDK or one that was connected by hand, used as models usually are; or a profile that says how. */
export type GivenModel = LanguageModel | ForeignModel | ModelProfile;

/** The profile of what an option holds. `of` and `option` are named where it is no model at all. */
export function profileOf(profiles: ModelProfiles, of: string, option: string, model: GivenModel): ModelProfile {
  assertModelGiven(of, option, { [option]: model });
  return 'parameters' in model ? model : profiles(model);
}
