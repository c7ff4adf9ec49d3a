import { z } from 'zod';
import { exact, exactObject } from '../json/exact.ts';
import { Name, Text } from '../json/name.ts';

/** The Critic's verdicts on a plan. */
export const PLAN_VERDICTS = ['ok', 'replan', 'reject'] as const;
export type PlanVerdict = (typeof PLAN_VERDICTS)[number];
export const PlanVerdict: z.ZodType<PlanVerdict> = z.enum(PLAN_VERDICTS);

/** The Critic's verdicts on a step or a run. */
export const STEP_VERDICTS = ['accept', 'retry', 'replan', 'escalate'] as const;
export type StepVerdict = (typeof STEP_VERDICTS)[number];
export const StepVerdict: z.ZodType<StepVerdict> = z.enum(STEP_VERDICTS);

/** Returns the stricter of two verdicts. */
export const stricterVerdict = (a: StepVerdict, b: StepVerdict): StepVerdict =>
  STEP_VERDICTS.indexOf(a) >= STEP_VERDICTS.indexOf(b) ? a : b;

/** One score per evaluator, between 0 and 1. */
export type Scores = Readonly<Record<string, number>>;
export const Scores: z.ZodType<Scores> = exact(z.record(Name, z.number().min(0).max(1)));

export interface StepScore {
  readonly step_id: string;
  readonly scores: Scores;
  readonly approval_gate?: string;
  readonly approver?: string;
}
export const StepScore: z.ZodType<StepScore> = exactObject({
  step_id: Name,
  scores: Scores,
  approval_gate: Name.exactOptional(),
  approver: Name.exactOptional(),
});

/** The Critic's verdict on a run. `run_scores` scores the run itself, separately from its steps. */
export interface VerdictEnvelope {
  readonly run_id: string;
  readonly plan_id: string;
  readonly verdict: StepVerdict;
  readonly step_scores: readonly StepScore[];
  readonly run_scores?: Scores;
  readonly loop_guard_trips: number;
  readonly replan_attempts: number;
}
export const VerdictEnvelope: z.ZodType<VerdictEnvelope> = exactObject({
  run_id: Name,
  plan_id: Name,
  verdict: StepVerdict,
  step_scores: z.array(StepScore),
  run_scores: Scores.exactOptional(),
  loop_guard_trips: z.int().nonnegative(),
  replan_attempts: z.int().nonnegative(),
});

/** The kinds of observation that an evaluator cannot express as a score. The kernel has a rule for each kind. */
export const FINDING_KINDS = [
  'source_conflict',
  'low_confidence',
  'unsafe',
  'unexpected_evidence',
  'assumption_disproved',
  'goal_divergence',
  'grounding_violation',
  'judges_disagree',
  'judges_object',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export const FINDING_SEVERITIES = ['low', 'high'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: FindingSeverity;
  readonly detail: string;
  /** The subject of the finding, for example the evidence of both sides of a conflict. */
  readonly refs?: readonly string[];
  /** For `unsafe` only: credentials are confirmed, not only suspected, to be compromised. */
  readonly compromised?: true;
}
export const Finding: z.ZodType<Finding> = exactObject({
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(FINDING_SEVERITIES),
  detail: Text,
  refs: z.array(Name).exactOptional(),
  compromised: z.literal(true).exactOptional(),
});
