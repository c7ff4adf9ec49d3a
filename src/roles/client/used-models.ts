import { Fault } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import { MANIFEST_ROLE, type ModelVersions, nameAndVersion, type Versions } from '../../model/run/manifest.ts';
import type { ModelProfile, Models, ModelUse } from '../../ports/model/language-model.ts';
import { choicesOf } from './model-choices.ts';

export interface UsesModels {
  readonly uses?: readonly ModelUse[];
}

export const usesOf = (...groups: readonly (readonly (UsesModels | null)[])[]): readonly ModelUse[] =>
  groups.flat().flatMap((part) => part?.uses ?? []);

/** A model that a part of an agent uses. A part with a name is pinned by itself, the others by their role. */
export interface PartUse extends ModelUse {
  readonly part?: string;
}

/** The models of a part that runs pin by itself. */
export const usesOfPart = (part: string, user: UsesModels | null): readonly PartUse[] =>
  usesOf([user]).map((use) => ({ ...use, part }));

/** The faults of the models that an agent uses, reported before a run needs them. */
export function modelFaults(models: Models, uses: readonly ModelUse[]): readonly Fault[] {
  return uses.flatMap(({ profile }) =>
    choicesOf(models, profile)
      .filter((choice) => Fault.is(choice))
      .map((fault) => new Fault(fault.code, `model profile ${profile.name}: ${fault.message}`, { cause: fault })),
  );
}

const VERSION_LENGTH_MAX = 200;

/** Pins an agent to the models and prompt versions that it actually uses, regardless of its declared pins. */
export function withModelPins(agent: AgentSpec, known: Models, uses: readonly PartUse[], hash: Hash): AgentSpec {
  if (uses.length === 0) return agent;
  const asked = new Map<keyof ModelVersions, string[]>();
  const models = new Map<string, readonly string[]>();
  const templates = new Map<string, string>(Object.entries(agent.pins.prompt_template_versions));
  for (const { role, profile, templates: named, part } of uses) {
    for (const template of named) templates.set(...nameAndVersion(template));
    const line = MANIFEST_ROLE[role];
    if (line === null) continue;
    const version = optionsVersion(profile, hash);
    const ids = choicesOf(known, profile).flatMap((choice) => (Fault.is(choice) ? [] : [choice.model.id + version]));
    asked.set(line, [...(asked.get(line) ?? []), ...ids]);
    if (part !== undefined) models.set(part, [...(models.get(part) ?? []), ...ids]);
  }
  return {
    ...agent,
    pins: {
      ...agent.pins,
      model_versions: { ...agent.pins.model_versions, ...joinedIds(asked) },
      models: joinedIds(models),
      prompt_template_versions: Object.fromEntries(templates),
    },
  };
}

const joinedIds = (lists: ReadonlyMap<string, readonly string[]>): Versions =>
  Object.fromEntries(
    [...lists].map(([name, ids]) => [name, [...new Set(ids)].join('::').slice(0, VERSION_LENGTH_MAX)]),
  );

/** The suffix of a model name with provider options: `@options:` and part of their hash. Runs pin it. */
function optionsVersion({ parameters: { providerOptions } }: ModelProfile, hash: Hash): string {
  return providerOptions === undefined ? '' : `@options:${hash(canonicalize(providerOptions)).slice(0, 12)}`;
}
