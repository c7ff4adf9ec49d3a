import type { JudgeScope } from '../model/judge.ts';
import type { RiskClass } from '../model/risk.ts';
import type { Timed } from '../ports/answer-time.ts';
import type { Judge } from '../ports/judge.ts';
import type { ModelProfile } from '../ports/language-model.ts';
import { mostFor } from './desk/spending.ts';
import { assertKnown } from './known-options.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type GivenModel, profileOf } from './profile-of.ts';
import { JUDGE_TEMPLATE, judgePrompt } from './prompts/judge.ts';
import { timeOf } from './time-of.ts';

/** What is shown to a judge is cut to fit into this. */
const INPUT_TOKENS = 12_000;

export interface ModelJudgeOptions extends Timed {
  readonly name: string;
  /** Another wording of a criterion is another version: a run is replayed by the judges it was started with. */
  readonly version: string;
  /** A model of the AI SDK, or a profile that says how it is used. */
  readonly model: GivenModel;
  /** What it looks for, by name. */
  readonly criteria: Readonly<Record<string, string>>;
  /** Which work it looks at: the steps of these tools, the run as a whole, and from which risk on. All of it if left out. */
  readonly applies?: { readonly tools?: JudgeScope['tools']; readonly run?: boolean; readonly risk?: RiskClass };
  /** A stronger or stricter model that takes over where nobody can rely on what the judges say. */
  readonly safer?: GivenModel;
}

const KNOWN: readonly string[] = ['name', 'version', 'model', 'criteria', 'applies', 'safer', 'timeoutMs'];
const SCOPE: readonly string[] = ['tools', 'run', 'risk'];

/** Has a model judge. What it says is kept word for word and read by the Critic; it can only take trust away. */
export function modelJudgeWith(profiles: ModelProfiles): (options: ModelJudgeOptions) => Judge {
  return (options) => {
    assertKnown('modelJudge', options, KNOWN);
    assertKnown('modelJudge: applies', options.applies ?? {}, SCOPE);
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
      cost: mostFor(model, INPUT_TOKENS),
      safer_cost: safer === undefined ? null : mostFor(safer, INPUT_TOKENS),
    },
    uses: profiles.map((profile) => ({ role: 'judge', profile, templates })),
    ask: (question, _signal, desk) => desk.ask((question.safer ? safer : undefined) ?? model, judgePrompt(question)),
  };
}
