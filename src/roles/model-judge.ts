import type { JudgeScope } from '../model/judge.ts';
import type { RiskClass } from '../model/risk.ts';
import type { Judge } from '../ports/judge.ts';
import type { ModelProfile } from '../ports/language-model.ts';
import { mostFor } from './desk/spending.ts';
import { JUDGE_TEMPLATE, judgePrompt } from './prompts/judge.ts';

/** What is shown to a judge is cut to fit into this. */
const INPUT_TOKENS = 12_000;

export interface ModelJudgeOptions {
  readonly name: string;
  /** Another wording of a criterion is another version: a run is replayed by the judges it was started with. */
  readonly version: string;
  readonly model: ModelProfile;
  /** What it looks for, by name. */
  readonly criteria: Readonly<Record<string, string>>;
  /** Which work it looks at: the steps of these tools, the run as a whole, and from which risk on. All of it if left out. */
  readonly applies?: { readonly tools?: JudgeScope['tools']; readonly run?: boolean; readonly risk?: RiskClass };
  /** A stronger or stricter model that takes over where nobody can rely on what the judges say. */
  readonly safer?: ModelProfile;
}

/** Has a model judge. What it says is kept word for word and read by the Critic; it can only take trust away. */
export function modelJudge({ name, version, model, criteria, applies = {}, safer }: ModelJudgeOptions): Judge {
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
