import { z } from 'zod';
import type { ModelCall } from '../budget/model-call.ts';
import { exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Name, Statement } from '../json/name.ts';
import { RiskClass } from '../policy/risk.ts';
import { ToolCost } from '../tool/tool.ts';
import { Versioned } from './rubric.ts';

/** The cases that a judge scores: the steps of some or all tools, the run itself, and the minimum risk class. */
export interface JudgeScope {
  readonly tools: 'all' | readonly string[];
  readonly run: boolean;
  readonly risk_min: RiskClass;
}

/** A judge as pinned by a run. The model that answers is outside; its criteria and scope are data. */
export interface JudgeSpec {
  readonly name: string;
  readonly version: string;
  /** The criteria, by name. Each gets its own score, and the lowest is the judge's score. */
  readonly criteria: Readonly<Record<string, string>>;
  readonly applies: JudgeScope;
  /** The maximum model cost of one answer, reserved before the request. */
  readonly cost: ToolCost;
  /** The same for the stronger or stricter judge that replaces an unreliable one; null if there is none. */
  readonly safer_cost: ToolCost | null;
}

/** The pattern of criterion names, which become keys of the model's answer next to the answer's own keys. */
const CRITERION = /^[a-z][a-z0-9_]{0,49}$/;

export const JudgeSpec: z.ZodType<JudgeSpec> = exactObject({
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

/** The outcomes of one judge request. Only an `answered` one can be readable, and even then the answer may not be. */
export const JUDGE_OUTCOMES = ['answered', 'failed', 'timed_out', 'refused'] as const;
export type JudgeOutcome = (typeof JUDGE_OUTCOMES)[number];

/** The maximum length of the answer text that is kept inline; the full answer is stored under its address. */
export const JUDGE_TEXT_MAX = 8_000;

/** The verbatim answer of a judge. The Critic derives its meaning anew each time. */
export interface JudgeAnswer {
  /** `name@version` */
  readonly judge: string;
  readonly outcome: JudgeOutcome;
  readonly text: string;
  readonly response: Address | null;
}
export const JudgeAnswer: z.ZodType<JudgeAnswer> = exactObject({
  judge: Versioned,
  outcome: z.enum(JUDGE_OUTCOMES),
  text: z.string().max(JUDGE_TEXT_MAX),
  response: ContentAddress.nullable(),
});

/** The answers of all judges to one case. */
export interface JudgesAnswered {
  /** The step id; null for the run. */
  readonly about: string | null;
  readonly answers: readonly JudgeAnswer[];
  /** Present if the request went to the stronger or stricter judges. */
  readonly safer?: true;
  readonly spent: ToolCost;
  readonly calls?: readonly ModelCall[];
}

/** A requested judge and the criteria to score. */
export interface AskedJudge {
  readonly judge: string;
  readonly criteria: readonly string[];
}

/** The requests to the judges of one case, and their answers. */
export interface PanelCase {
  readonly asked: readonly AskedJudge[];
  readonly answers: readonly JudgeAnswer[];
}

export const judgeId = ({ name, version }: Pick<JudgeSpec, 'name' | 'version'>): string => `${name}@${version}`;
