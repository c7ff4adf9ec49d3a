import type { ForeignModel, LanguageModel, ModelProfile } from '../ports/model/language-model.ts';
import { type TimeLimited, timeFault } from '../ports/time-limit.ts';
import { assertKnownOptions, assertModel } from './check-options.ts';
import type { ModelProfiles } from './model-profile.ts';

/** Options of a role that consists of one model. */
export interface ModelRoleOptions extends TimeLimited {
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
}

const KNOWN: readonly string[] = ['model', 'timeoutMs'];

/** Validates the options of a role. `of` is the name of the role in fault messages. */
export function modelRole(
  profiles: ModelProfiles,
  of: string,
  options: ModelRoleOptions,
): { readonly profile: ModelProfile; readonly time: TimeLimited } {
  assertKnownOptions(of, options, KNOWN);
  return { profile: profileOf(profiles, of, 'model', options.model), time: timeOf(of, options) };
}

/** A model of the AI SDK, a connected model, or a profile that configures its use. */
export type ModelOption = LanguageModel | ForeignModel | ModelProfile;

/** The profile for a model option. `of` and `option` appear in the fault if it is no model. */
export function profileOf(profiles: ModelProfiles, of: string, option: string, model: ModelOption): ModelProfile {
  assertModel(of, option, { [option]: model });
  return 'parameters' in model ? model : profiles(model);
}

/** Validates and returns the timeout of a role; empty if there is none. */
export function timeOf(of: string, { timeoutMs }: TimeLimited): TimeLimited {
  const fault = timeFault(of, '', { timeoutMs });
  if (fault !== null) throw fault;
  return timeoutMs === undefined ? {} : { timeoutMs };
}
