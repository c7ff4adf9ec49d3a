import { Fault, type FaultCode } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import type { Rubric } from '../model/rubric.ts';
import type { ToolOutcome } from '../model/tool.ts';
import { type Scores, type StepVerdict, stricterVerdict } from '../model/verdict.ts';

/** Why a step did not do what was planned: how its call came back, or what was found wrong with what it returned. */
export type FailureKind =
  | Exclude<ToolOutcome, 'ok'>
  | 'verification_failed'
  | 'unexpected_evidence'
  | 'assumption_disproved';

interface FailureRule {
  readonly code: FaultCode;
  /** Doing the same again may help. */
  readonly transient: boolean;
  /** Something came back and is not valid: where much is at stake nobody tries to mend it. */
  readonly invalid: boolean;
  /** No plan would help, because the plan itself no longer stands or nobody lets it in: a person is asked. */
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

/** What the run may still try. */
export interface Attempts {
  readonly retries: number;
  readonly replans: number;
  readonly reflections: number;
  /** Whose retries are used up first. */
  readonly scope?: 'step' | 'workflow';
}
export const NO_ATTEMPTS: Attempts = Object.freeze({ retries: 0, replans: 0, reflections: 0 });

/** Everything a verdict depends on. All of it is recorded, so the verdict can be derived again. */
export interface Judgement {
  readonly scores: Scores;
  readonly rubric: Pick<Rubric, 'accept' | 'floors' | 'confidence'>;
  readonly failure: FailureKind | null;
  /** The same call may be made again without a second effect. */
  readonly retryable: boolean;
  readonly left: Attempts;
  /** The budget dimension that ran out while the step was under way. */
  readonly exhausted: string | null;
  readonly riskHigh: boolean;
  /** What an evaluator wants done at least. */
  readonly wanted?: StepVerdict | undefined;
}

export type DecisionCode =
  | FaultCode
  | 'accepted'
  | 'below_floor'
  | 'below_accept'
  | 'low_confidence'
  | 'verdict_wanted';

export interface Decision {
  readonly verdict: StepVerdict;
  readonly reason: { readonly code: DecisionCode; readonly detail: JsonObject };
}

const ACCEPT: Decision = Object.freeze({
  verdict: 'accept',
  reason: Object.freeze({ code: 'accepted', detail: Object.freeze({}) }),
});

/**
 * The Critic's verdict on a step, from data alone. What protects is asked first (floors, budget), then whether the
 * work is good enough, then what may still be tried; when nothing is left, a person decides.
 */
export function decide(input: Judgement): Decision {
  const { scores, rubric, failure, exhausted } = input;
  const names = Object.keys(scores);
  const lowest = lowestScore(scores, names);
  if (failure === null) assertScored(scores, names, rubric.floors);
  if (names.some((name) => missesFloor(scores, rubric.floors, name))) {
    return decision('escalate', 'below_floor', { unmet: below(scores, (name) => floorOf(rubric.floors, name)) });
  }
  if (exhausted !== null) return decision('escalate', 'budget_exhausted', { dimension: exhausted });
  if (failure !== null) return afterFailure(input, failure);
  const scored = lowest >= rubric.accept ? ACCEPT : afterLowScore(input, lowest);
  return input.wanted === undefined ? scored : atLeastWanted(input, input.wanted, scored);
}

/** An evaluator may have more done than the scores ask for, within what may still be tried, and never less. */
function atLeastWanted(input: Judgement, wanted: StepVerdict, scored: Decision): Decision {
  if (stricterVerdict(scored.verdict, wanted) === scored.verdict) return scored;
  const detail = { wanted };
  if (wanted === 'escalate') return decision('escalate', 'verdict_wanted', detail);
  if (wanted === 'retry' && input.retryable && input.left.retries > 0)
    return decision('retry', 'verdict_wanted', detail);
  return replanOrEscalate(input.left, 'verdict_wanted', detail);
}

function afterFailure(input: Judgement, failure: FailureKind): Decision {
  const { code, transient, invalid, abandons } = FAILURES[failure];
  if (abandons || (invalid && input.riskHigh)) return decision('escalate', code, { failure });
  const again = transient && input.retryable;
  if (again && input.left.retries > 0) return decision('retry', code, { failure });
  if (!again) return replanOrEscalate(input.left, code, { failure });
  const { scope } = input.left;
  const whose = scope === undefined ? {} : { scope };
  return replanOrEscalate(input.left, 'retry_budget_exhausted', { failure, ...whose });
}

/** A score nobody can rely on is reflected upon once; one that is merely too low is planned around. */
function afterLowScore(input: Judgement, lowest: number): Decision {
  const { accept, confidence } = input.rubric;
  const detail = { unmet: below(input.scores, () => accept) };
  if (lowest >= confidence) return replanOrEscalate(input.left, 'below_accept', detail);
  const mayReflect = input.left.reflections > 0 && input.left.replans > 0;
  return decision(mayReflect ? 'replan' : 'escalate', 'low_confidence', detail);
}

function replanOrEscalate(left: Attempts, code: DecisionCode, detail: JsonObject): Decision {
  if (left.replans > 0) return decision('replan', code, detail);
  return decision('escalate', 'replan_budget_exhausted', { cause: code, ...detail });
}

function decision(verdict: StepVerdict, code: DecisionCode, detail: JsonObject): Decision {
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

/** Work that nobody scored is not good work. A failed step may go unscored, since it cannot be accepted. */
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

/** The scores below what they need, by name, for whoever has to look at them. */
function below(scores: Scores, needed: (name: string) => number): JsonObject {
  return Object.fromEntries(Object.entries(scores).filter(([name, score]) => !(score >= needed(name))));
}
