import type { AgentSpec } from '../../model/agent.ts';
import { Fault } from '../../model/fault.ts';
import type { ModelVersions } from '../../model/manifest.ts';
import type { ModelRole } from '../../model/model-call.ts';
import type { Models, ModelUse } from '../../ports/language-model.ts';
import { choicesOf } from './choices.ts';

/** Anything that asks models and says which. */
export interface UsesModels {
  readonly uses?: readonly ModelUse[];
}

export const usesOf = (...groups: readonly (readonly (UsesModels | null)[])[]): readonly ModelUse[] =>
  groups.flat().flatMap((part) => part?.uses ?? []);

/** What is wrong with the models that an agent would ask: said before a run comes to them. */
export function modelFaults(models: Models, uses: readonly ModelUse[]): readonly Fault[] {
  return uses.flatMap(({ profile }) =>
    choicesOf(models, profile)
      .filter((choice) => Fault.is(choice))
      .map((fault) => new Fault(fault.code, `model profile ${profile.name}: ${fault.message}`, { cause: fault })),
  );
}

/** In the words of a manifest. Compressing and reflecting have no line of their own: they are the planner looking back. */
const MANIFEST_ROLE: Readonly<Record<ModelRole, keyof ModelVersions | null>> = {
  planner: 'planner',
  executor: 'executor',
  judge: 'verifier',
  classifier: 'router',
  compressor: null,
  reflector: null,
};

const VERSION_LENGTH_MAX = 200;

/** The agent, pinned to the models it really asks and to the wording of its prompts, whatever was written down for it. */
export function withModelPins(agent: AgentSpec, models: Models, uses: readonly ModelUse[]): AgentSpec {
  if (uses.length === 0) return agent;
  const asked = new Map<keyof ModelVersions, string[]>();
  const templates = new Map<string, string>(Object.entries(agent.pins.prompt_template_versions));
  for (const { role, profile, templates: named } of uses) {
    for (const template of named) templates.set(...nameAndVersion(template));
    const line = MANIFEST_ROLE[role];
    if (line === null) continue;
    const ids = choicesOf(models, profile).flatMap((choice) => (Fault.is(choice) ? [] : [choice.model.id]));
    asked.set(line, [...(asked.get(line) ?? []), ...ids]);
  }
  const versions = [...asked].map(([line, ids]) => [line, [...new Set(ids)].join('::').slice(0, VERSION_LENGTH_MAX)]);
  return {
    ...agent,
    pins: {
      ...agent.pins,
      model_versions: { ...agent.pins.model_versions, ...Object.fromEntries(versions) },
      prompt_template_versions: Object.fromEntries(templates),
    },
  };
}

/** `plan_first@1` becomes `plan_first` and `1`. */
function nameAndVersion(template: string): readonly [string, string] {
  const at = template.lastIndexOf('@');
  return at < 1 ? [template, '1'] : [template.slice(0, at), template.slice(at + 1)];
}
