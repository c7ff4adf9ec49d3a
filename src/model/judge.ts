import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import type { ModelCall } from './model-call.ts';
import { Name, Statement } from './name.ts';
import { RiskClass } from './risk.ts';
import { Versioned } from './rubric.ts';
import { ToolCost } from './tool.ts';

/** What a judge looks at: the steps of some tools or of all, the run as a whole, and from which risk class on. */
export interface JudgeScope {
  readonly tools: 'all' | readonly string[];
  readonly run: boolean;
  readonly risk_min: RiskClass;
}

/** A judge as a run is pinned to it. Who answers is outside; what it is asked, and when, is data. */
export interface JudgeSpec {
  readonly name: string;
  readonly version: string;
  /** What it looks for, by name. Each gets a score of its own, and the lowest is the judge's. */
  readonly criteria: Readonly<Record<string, string>>;
  readonly applies: JudgeScope;
  /** The most that one answer may take of models. It is set aside before the judge is asked. */
  readonly cost: ToolCost;
  /** The same of the stronger or stricter judge that takes over where nobody can rely on this one; null if there is none. */
  readonly safer_cost: ToolCost | null;
}

/** Criterion names become keys of what a model is to answer, beside the words the answer itself is made of. */
const CRITERION = /^[a-z][a-z0-9_]{0,49}$/;

export const JudgeSpec: z.ZodType<JudgeSpec> = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,99}$/, 'must be lower-case letters, digits and _'),
  version: Name,
  criteria: z
    .record(z.string(), Statement)
    .refine((criteria) => Object.keys(criteria).every((name) => CRITERION.test(name)), {
      message: 'must be named in lower-case letters, digits and _',
    })
    .refine((criteria) => Object.keys(criteria).length <= 20, 'must not name more than 20 criteria'),
  applies: z.strictObject({ tools: z.union([z.literal('all'), z.array(Name)]), run: z.boolean(), risk_min: RiskClass }),
  cost: ToolCost,
  safer_cost: ToolCost.nullable(),
});

/** How it went with one judge. Only `answered` can be read, and not every answer that came can be read either. */
export const JUDGE_OUTCOMES = ['answered', 'failed', 'timed_out', 'refused'] as const;
export type JudgeOutcome = (typeof JUDGE_OUTCOMES)[number];

/** As much of an answer as is kept in line; the whole of it lies under its address. */
export const JUDGE_TEXT_MAX = 8_000;

/** What a judge said, as it said it. What that means is worked out by the critic, each time anew. */
export interface JudgeAnswer {
  /** `name@version` */
  readonly judge: string;
  readonly outcome: JudgeOutcome;
  readonly text: string;
  readonly response: Address | null;
}
export const JudgeAnswer: z.ZodType<JudgeAnswer> = z.strictObject({
  judge: Versioned,
  outcome: z.enum(JUDGE_OUTCOMES),
  text: z.string().max(JUDGE_TEXT_MAX),
  response: ContentAddress.nullable(),
});

/** What everybody said who was asked about one case. */
export interface JudgesAnswered {
  /** The step; null for the run as a whole. */
  readonly about: string | null;
  readonly answers: readonly JudgeAnswer[];
  /** Present where the stronger or stricter ones were asked. */
  readonly safer?: true;
  readonly spent: ToolCost;
  readonly calls?: readonly ModelCall[];
}

/** A judge that was asked, and the criteria it was to score. */
export interface AskedJudge {
  readonly judge: string;
  readonly criteria: readonly string[];
}

/** What was asked of the judges of one case, and what came back. */
export interface PanelCase {
  readonly asked: readonly AskedJudge[];
  readonly answers: readonly JudgeAnswer[];
}

export const judgeId = ({ name, version }: Pick<JudgeSpec, 'name' | 'version'>): string => `${name}@${version}`;
