import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import { type ExplainedSection, type ExplainFacts, formatMs, optionLine } from './explanation.ts';

/** Limits that follow from the models and the planner. The budget covers the costs, the section on models the rest. */
type DerivedLimit =
  | 'plannerCost'
  | 'classifierCost'
  | 'reviewerCost'
  | 'drafterCost'
  | 'composerCost'
  | 'answerJudgeCost'
  | 'historyTokensMax'
  | 'planning'
  | 'plannerTimeoutRangeMs';

/** Every other limit in words. A new limit does not compile until it has a row. */
const LIMIT_WORDS: Readonly<Record<Exclude<keyof KernelLimits, DerivedLimit>, string>> = {
  intentConfidence: 'asks the user about the intent below a confidence of',
  gateTtlMs: 'a gate waits',
  questionTtlMs: 'a question to the user waits',
  dispatchWindowMs: 'a cleared call is sent within',
  retryBaseMs: 'longest pause before the first retry',
  retriesPerRunMax: 'retries of a run together',
  retryCooldownMs: 'pause of a tool that used up its retries',
  duplicateWindowMs: 'an equal change counts as a mistake within',
  onEscalate: 'an escalated run will',
  onBreach: 'a dangerous finding will',
  denialsMax: 'refused plans until the run escalates',
  callsPerMinuteMax: 'calls per minute of a run in control',
  contextLimit: 'tokens of a context',
  compressAbove: 'compresses a context above this part of its limit',
  reactStepsMax: 'steps of a run that plans one at a time',
  parallelSteps: 'independent steps that run in parallel',
  laneFanoutMax: 'open lanes of a run',
};

const LIMITS = Object.keys(LIMIT_WORDS) as readonly (keyof typeof LIMIT_WORDS)[];

export function explainLimits({ assembled, isStated }: ExplainFacts): ExplainedSection {
  const { env, plannerTimeouts } = assembled.pins;
  const lines = LIMITS.map((limit) =>
    optionLine(isStated(`limits.${limit}`), {
      name: LIMIT_WORDS[limit],
      value: formatLimit(limit, env.limits[limit]),
      option: `limits.${limit}`,
      why: 'the limit of every agent',
    }),
  );
  const planning = optionLine(isStated('world.plannerTimeouts'), {
    name: 'a plan takes at most',
    value: formatMs(plannerTimeouts.usualMs),
    option: 'world.plannerTimeouts',
    why: 'the limit of every agent',
  });
  return { title: 'Limits', lines: [...lines, planning] };
}

const formatLimit = (limit: string, value: number | string): string =>
  typeof value === 'number' && limit.endsWith('Ms') ? formatMs(value) : String(value);
