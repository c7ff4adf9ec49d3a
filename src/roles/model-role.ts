import type { Timed } from '../ports/answer-time.ts';
import type { ModelProfile } from '../ports/language-model.ts';
import { assertKnown } from './known-options.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type GivenModel, profileOf } from './profile-of.ts';
import { timeOf } from './time-of.ts';

/** A role that a model has all by itself. */
export interface ModelRoleOptions extends Timed {
  /** A model of the AI SDK, or a profile that says how it is used. */
  readonly model: GivenModel;
}

const KNOWN: readonly string[] = ['model', 'timeoutMs'];

/** Who has the role, and the time that it has in it. `of` is named where something is wrong with either. */
export function modelRole(
  profiles: ModelProfiles,
  of: string,
  options: ModelRoleOptions,
): { readonly profile: ModelProfile; readonly time: Timed } {
  assertKnown(of, options, KNOWN);
  return { profile: profileOf(profiles, of, 'model', options.model), time: timeOf(of, options) };
}
