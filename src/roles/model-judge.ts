import type { JudgeScope } from '../model/critic/judge.ts';
import type { RiskClass } from '../model/policy/risk.ts';
import type { ModelProfile } from '../ports/model/language-model.ts';
import type { Judge, TimeLimited } from '../ports/model/model-roles.ts';
import { maxCost } from './client/spending.ts';
import { assertKnownOptions, type ModelOption, type ModelProfiles, profileOf, timeOf } from './model-profile.ts';
import { JUDGE_TEMPLATE, judgePrompt } from './prompts/judge.ts';

/** The material for a judge is truncated to this size. */
const INPUT_TOKENS = 12_000;

export interface ModelJudgeOptions extends TimeLimited {
  readonly name: string;
  /** Change it with the wording of a criterion: a run is replayed with the judges it was started with. */
  readonly version: string;
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
  readonly criteria: Readonly<Record<string, string>>;
  /** Limits the judge to the steps of these tools, to steps only, or to a minimum risk. Default: everything. */
  readonly applies?: { readonly tools?: JudgeScope['tools']; readonly run?: boolean; readonly risk?: RiskClass };
  /** A stronger or stricter model for cases in which the judges are not reliable. */
  readonly safer?: ModelOption;
}

const KNOWN: readonly string[] = ['name', 'version', 'model', 'criteria', 'applies', 'safer', 'timeoutMs'];
const SCOPE: readonly string[] = ['tools', 'run', 'risk'];

/** Creates a judge that asks a model. Its answer is recorded verbatim, and it can only lower trust. */
export function modelJudgeWith(profiles: ModelProfiles): (options: ModelJudgeOptions) => Judge {
  return (options) => {
    assertKnownOptions('modelJudge', options, KNOWN);
    assertKnownOptions('modelJudge: applies', options.applies ?? {}, SCOPE);
    const time = timeOf('modelJudge', options);
    const model = profileOf(profiles, 'modelJudge', 'model', options.model);
    const safer = options.safer === undefined ? undefined : profileOf(profiles, 'modelJudge', 'safer', options.safer);
    return { ...judgeOf(options, model, safer), ...time };
  };
}

function judgeOf(
  { name, version, criteria, applies = {} }: ModelJudgeOptions,
  model: ModelProfile,
  safer: ModelProfile | undefined,
): Judge {
  const { tools = 'all', run = true, risk = 'low' } = applies;
  const templates = [`${JUDGE_TEMPLATE.name}@${JUDGE_TEMPLATE.version}`];
  const profiles = safer === undefined ? [model] : [model, safer];
  return {
    spec: {
      name,
      version,
      criteria,
      applies: { tools, run, risk_min: risk },
      cost: maxCost(model, INPUT_TOKENS),
      safer_cost: safer === undefined ? null : maxCost(safer, INPUT_TOKENS),
    },
    uses: profiles.map((profile) => ({ role: 'judge', profile, templates })),
    ask: (question, _signal, client) =>
      client.ask((question.safer ? safer : undefined) ?? model, judgePrompt(question)),
  };
}
