import { Fault } from '../model/fault/fault.ts';
import { printable } from '../model/json/printable.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { AnswerJudge, Classifier, Composer, Drafter, Judge, Reviewer } from '../ports/model/model-roles.ts';
import type { Planner } from '../ports/model/planner.ts';
import type { ProviderOptions } from '../ports/model/provider-options.ts';
import { modelAnswerJudgeWith } from '../roles/model-answer-judge.ts';
import { modelClassifierWith } from '../roles/model-classifier.ts';
import { modelComposerWith } from '../roles/model-composer.ts';
import { modelDrafterWith } from '../roles/model-drafter.ts';
import { type ModelOption, type ModelProfiles, profileOf } from '../roles/model-profile.ts';
import { modelReviewerWith } from '../roles/model-reviewer.ts';
import { planFirstWith } from '../roles/plan-first.ts';
import { hasMethods } from './check/values.ts';
import type { World } from './world.ts';

/** The models of an agent by role: a model, a profile, or a role such as `modelComposer({ … })`. */
export interface AgentModels {
  /** Plans as `planFirst({ model })` does. For any other planner set `planner` of the agent. */
  readonly planner?: ModelOption;
  /** Writes answers. Default: the agent's `model`. With null, answers are compiled without a model. */
  readonly composer?: ModelOption | Composer | null;
  /** Rules on composed sentences that are not provable. Default: facts replace them. */
  readonly answerJudge?: ModelOption | AnswerJudge | null;
  /** Writes open arguments. Default: the agent's `model`, if the boundary grants `tool_arguments`. */
  readonly drafter?: ModelOption | Drafter | null;
  /** Classifies ambiguous requests. Default: the agent's `model`, if there are two intents. With null the user does. */
  readonly classifier?: ModelOption | Classifier | null;
  /** Reviews failures and compresses contexts. Default: rules without a model. */
  readonly reviewer?: ModelOption | Reviewer;
  readonly judges?: readonly Judge[];
}

/** The model roles of one agent. Each replaces the role of the same name in `world`. */
export type AgentRoles = Partial<
  Pick<World, 'composer' | 'answerJudge' | 'drafter' | 'classifier' | 'reviewer' | 'judges'>
>;

/** The options of an agent that concern its models. */
export interface ModelOptions {
  readonly name: string;
  readonly model?: ModelOption;
  readonly providerOptions?: ProviderOptions;
  readonly models?: AgentModels;
  readonly planner?: Planner;
}

/** For each role: `make` creates it from a model, and an object with `method` is already a role. */
const MAKERS = {
  composer: { method: 'compose', make: modelComposerWith },
  answerJudge: { method: 'judge', make: modelAnswerJudgeWith },
  drafter: { method: 'draft', make: modelDrafterWith },
  classifier: { method: 'classify', make: modelClassifierWith },
  reviewer: { method: 'reflect', make: modelReviewerWith },
} as const;

type MadeRole = keyof typeof MAKERS;

/** The roles that `models` of an agent may name. */
export const AGENT_MODEL_ROLES: readonly string[] = ['planner', ...Object.keys(MAKERS), 'judges'];

/** The planner of an agent: its own, or one that plans the complete task with its model. */
export function plannerFor(profiles: ModelProfiles, options: ModelOptions): Planner {
  const { name, models = {}, planner } = options;
  if (planner !== undefined) {
    if (models.planner === undefined) return planner;
    throw wrong(name, '/models/planner', 'planner and models.planner are both set: remove one of them');
  }
  const model = modelOf(profiles, options);
  const [option, chosen] = models.planner === undefined ? ['model', model] : ['models.planner', models.planner];
  if (chosen !== undefined) return within(name, option, () => planFirstWith(profiles)({ model: chosen }));
  const fix = 'set model to a model of the AI SDK, or planner to a planner such as templatePlanner(templates)';
  throw new Fault('input_missing', `agent ${printable(String(name))}: planner is missing: ${fix}`, {
    path: '/planner',
  });
}

/** The roles that the agent's models fill. A role that is left out comes from `world`. */
export function rolesFor(
  profiles: ModelProfiles,
  options: ModelOptions,
  spec: Pick<AgentSpec, 'boundary' | 'intents'>,
): AgentRoles {
  const { name, models = {} } = options;
  const model = modelOf(profiles, options);
  const defaults = model === undefined ? {} : defaultModels(model, spec);
  const chosen: Pick<AgentModels, MadeRole> = { ...defaults, ...models };
  const roles = (Object.keys(MAKERS) as readonly MadeRole[]).flatMap((role) => {
    const value = chosen[role];
    return value === undefined ? [] : [[role, roleFrom(profiles, name, role, value)]];
  });
  return { ...Object.fromEntries(roles), ...(models.judges === undefined ? {} : { judges: models.judges }) };
}

/** The agent's model, with its provider options if there are any. */
function modelOf(profiles: ModelProfiles, { name, model, providerOptions }: ModelOptions): ModelOption | undefined {
  if (providerOptions === undefined) return model;
  if (model === undefined)
    throw wrong(name, '/providerOptions', 'providerOptions belong to model: set model too, or use a modelProfile');
  return profileOf(profiles, `agent ${printable(String(name))}`, 'model', model, providerOptions);
}

const defaultModels = (
  model: ModelOption,
  { boundary, intents }: Pick<AgentSpec, 'boundary' | 'intents'>,
): Pick<AgentModels, MadeRole> => ({
  composer: model,
  ...(boundary.decision_rights.includes('tool_arguments') ? { drafter: model } : {}),
  ...(intents.length > 1 ? { classifier: model } : {}),
});

function roleFrom(profiles: ModelProfiles, name: string, role: MadeRole, value: object | null): unknown {
  const { method, make } = MAKERS[role];
  if (value === null || hasMethods(value, [method])) return value;
  return within(name, `models.${role}`, () => make(profiles)({ model: value as ModelOption }));
}

const wrong = (name: unknown, path: string, message: string): Fault =>
  new Fault('input_invalid', `agent ${printable(String(name))}: ${message}`, { path });

/** Adds the agent and the option to a fault of a model. */
function within<T>(name: string, option: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const message = `agent ${printable(String(name))}: ${option}: ${error.message}`;
    throw new Fault(error.code, message, { path: `/${option.replace('.', '/')}`, cause: error });
  }
}
