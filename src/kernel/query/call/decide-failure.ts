import type { Rubric } from '../../../model/critic/rubric.ts';
import { type Scores, type StepVerdict, stricterVerdict } from '../../../model/critic/verdict.ts';
import { Fault, type FaultCode } from '../../../model/fault/fault.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { ToolOutcome } from '../../../model/tool/tool.ts';

/** The reason a step failed: the outcome of its call, or a defect of its result. */
export type FailureKind =
  | Exclude<ToolOutcome, 'ok'>
  | 'verification_failed'
  | 'unexpected_evidence'
  | 'assumption_disproved';

interface FailureRule {
  readonly code: FaultCode;
  /** A retry of the same call may succeed. */
  readonly transient: boolean;
  /** The tool returned an invalid result. At high risk the step escalates instead of being repaired. */
  readonly invalid: boolean;
  /** No new plan would help: the plan no longer holds, or its credential expired. The step escalates to a person. */
  readonly abandons?: true;
}

// biome-ignore format: a table is read by its columns, one row a line
const FAILURES: Readonly<Record<FailureKind, FailureRule>> = {
  error: { code: 'tool_failed', transient: true, invalid: false },
  timeout: { code: 'step_timeout', transient: true, invalid: false },
  denied: { code: 'permission_denied', transient: false, invalid: false },
  expired: { code: 'credential_expired', transient: false, invalid: false, abandons: true },
  malformed: { code: 'tool_result_invalid', transient: true, invalid: true },
  empty: { code: 'tool_result_invalid', transient: true, invalid: true },
  cancelled: { code: 'tool_failed', transient: false, invalid: false },
  verification_failed: { code: 'tool_result_invalid', transient: true, invalid: true },
  unexpected_evidence: { code: 'unexpected_evidence', transient: false, invalid: false },
  assumption_disproved: { code: 'assumption_disproved', transient: false, invalid: false, abandons: true },
};

/** The attempts that the run has left. */
export interface Attempts {
  readonly retries: number;
  readonly replans: number;
  readonly reflections: number;
  /** The scope whose retries run out first. */
  readonly scope?: 'step' | 'workflow';
}
export const NO_ATTEMPTS: Attempts = Object.freeze({ retries: 0, replans: 0, reflections: 0 });

/** The input of a verdict. All of it is recorded, so replay derives the same verdict. */
export interface Judgement {
  readonly scores: Scores;
  readonly rubric: Pick<Rubric, 'accept' | 'floors' | 'confidence'>;
  readonly failure: FailureKind | null;
  /** The same call can be repeated without a second effect. */
  readonly retryable: boolean;
  readonly left: Attempts;
  /** The budget dimension that ran out during the step. */
  readonly exhausted: string | null;
  readonly riskHigh: boolean;
  /** The mildest verdict that an evaluator accepts. */
  readonly wanted?: StepVerdict | undefined;
}

export type DecisionCode =
  | FaultCode
  | 'accepted'
  | 'below_floor'
  | 'below_accept'
  | 'low_confidence'
  | 'verdict_wanted';

export interface FailureDecision {
  readonly verdict: StepVerdict;
  readonly reason: { readonly code: DecisionCode; readonly detail: JsonObject };
}

const ACCEPT: FailureDecision = Object.freeze({
  verdict: 'accept',
  reason: Object.freeze({ code: 'accepted', detail: Object.freeze({}) }),
});

/**
 * Decides the critic's verdict on a step. Floors and budget are checked first, then the scores, then the attempts that
 * are left. With no attempts left, the step escalates to a person.
 */
export function decideVerdict(input: Judgement): FailureDecision {
  const { scores, rubric, failure, exhausted } = input;
  const names = Object.keys(scores);
  const lowest = lowestScore(scores, names);
  if (failure === null) assertScored(scores, names, rubric.floors);
  if (names.some((name) => missesFloor(scores, rubric.floors, name))) {
    return makeDecision('escalate', 'below_floor', {
      unmet: scoresBelow(scores, (name) => floorOf(rubric.floors, name)),
    });
  }
  if (exhausted !== null) return makeDecision('escalate', 'budget_exhausted', { dimension: exhausted });
  if (failure !== null) return decideAfterFailure(input, failure);
  const scored = lowest >= rubric.accept ? ACCEPT : decideAfterLowScore(input, lowest);
  return input.wanted === undefined ? scored : applyMinimumVerdict(input, input.wanted, scored);
}

/** Applies an evaluator's minimum verdict: it can make the verdict stricter, within the attempts left, never milder. */
function applyMinimumVerdict(input: Judgement, wanted: StepVerdict, scored: FailureDecision): FailureDecision {
  if (stricterVerdict(scored.verdict, wanted) === scored.verdict) return scored;
  const detail = { wanted };
  if (wanted === 'escalate') return makeDecision('escalate', 'verdict_wanted', detail);
  if (wanted === 'retry' && input.retryable && input.left.retries > 0)
    return makeDecision('retry', 'verdict_wanted', detail);
  return replanOrEscalate(input.left, 'verdict_wanted', detail);
}

function decideAfterFailure(input: Judgement, failure: FailureKind): FailureDecision {
  const { code, transient, invalid, abandons } = FAILURES[failure];
  if (abandons || (invalid && input.riskHigh)) return makeDecision('escalate', code, { failure });
  const canRetry = transient && input.retryable;
  if (canRetry && input.left.retries > 0) return makeDecision('retry', code, { failure });
  if (!canRetry) return replanOrEscalate(input.left, code, { failure });
  const { scope } = input.left;
  const scopeDetail = scope === undefined ? {} : { scope };
  return replanOrEscalate(input.left, 'retry_budget_exhausted', { failure, ...scopeDetail });
}

/** Reflects once on a score below the confidence limit; replans after one between that limit and the threshold. */
function decideAfterLowScore(input: Judgement, lowest: number): FailureDecision {
  const { accept, confidence } = input.rubric;
  const detail = { unmet: scoresBelow(input.scores, () => accept) };
  if (lowest >= confidence) return replanOrEscalate(input.left, 'below_accept', detail);
  const mayReflect = input.left.reflections > 0 && input.left.replans > 0;
  return makeDecision(mayReflect ? 'replan' : 'escalate', 'low_confidence', detail);
}

function replanOrEscalate(left: Attempts, code: DecisionCode, detail: JsonObject): FailureDecision {
  if (left.replans > 0) return makeDecision('replan', code, detail);
  return makeDecision('escalate', 'replan_budget_exhausted', { cause: code, ...detail });
}

function makeDecision(verdict: StepVerdict, code: DecisionCode, detail: JsonObject): FailureDecision {
  return { verdict, reason: { code, detail } };
}

function lowestScore(scores: Scores, names: readonly string[]): number {
  let lowest = 1;
  for (const name of names) {
    const score = scores[name];
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
      throw new Fault('evaluator_failed', `"${name}" gave something that is no score between 0 and 1`);
    }
    if (score < lowest) lowest = score;
  }
  return lowest;
}

/** Requires a score for each floor, and at least one. A failed step needs none, since it cannot be accepted. */
function assertScored(scores: Scores, names: readonly string[], floors: Scores): void {
  const missing = Object.keys(floors).find((name) => !Object.hasOwn(scores, name));
  if (missing !== undefined) throw new Fault('evaluator_failed', `nothing scored "${missing}", which has a floor`);
  if (names.length === 0) throw new Fault('evaluator_failed', 'a step needs at least one score');
}

const missesFloor = (scores: Scores, floors: Scores, name: string): boolean =>
  !((scores[name] ?? 0) >= floorOf(floors, name));

function floorOf(floors: Scores, name: string): number {
  return Object.hasOwn(floors, name) ? (floors[name] ?? 1) : 0;
}

function scoresBelow(scores: Scores, needed: (name: string) => number): JsonObject {
  return Object.fromEntries(Object.entries(scores).filter(([name, score]) => !(score >= needed(name))));
}
