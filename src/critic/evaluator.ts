import type { ApprovalEntry } from '../model/decision.ts';
import type { Finding } from '../model/finding.ts';
import type { AcceptanceCriterion } from '../model/goal.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { PanelCase } from '../model/judge.ts';
import type { Assumption, PlanStep } from '../model/plan.ts';
import type { Problem } from '../model/problem.ts';
import type { RiskClass } from '../model/risk.ts';
import type { SourcedFact } from '../model/sourced-fact.ts';
import type { ToolCost, ToolOutcome, ToolSpec } from '../model/tool.ts';
import type { StepScore, StepVerdict } from '../model/verdict.ts';

/** One step, as recorded, with all that a judgement of it may rest on. The live run and replay build the same one. */
export interface StepCase {
  readonly step: PlanStep;
  readonly tool: ToolSpec;
  readonly args: JsonObject;
  readonly outcome: ToolOutcome;
  /** The part that verification confirmed; null if it confirmed nothing. */
  readonly output: Json | null;
  /** What verification found wrong with what the tool returned. */
  readonly problems: readonly Problem[];
  readonly support: StepSupport;
  /** Present where judges were asked about it. */
  readonly panel?: PanelCase;
}

export interface StepSupport {
  readonly evidence: StepEvidence;
  /** Decisions of people about this step. */
  readonly approvals: readonly ApprovalEntry[];
  readonly policy: PolicyOutcome;
  /** Assumptions of the plan that this step can disprove. */
  readonly assumptions: readonly Assumption[];
  readonly criteria: readonly Criterion[];
  /** What this step committed, and what was committed before that it could contradict. */
  readonly facts: readonly SourcedFact[];
  readonly spending: Spending;
}

/** What a call cost, and what it was projected to cost before it was made. */
export interface Spending {
  readonly spent: ToolCost;
  readonly projected: ToolCost;
}

export interface StepEvidence {
  /** Newest evidence id of each type, this step's own included. */
  readonly known: EvidenceByType;
  /** Types that the decisions bound to this step ask for. */
  readonly needed: readonly string[];
  /** Types the plan counts on this step to supply. */
  readonly expected: readonly string[];
  /** Types it did supply. */
  readonly supplied: readonly string[];
  /** References the step leans on that nothing committed answers to. */
  readonly unresolved: readonly string[];
}

export type EvidenceByType = Readonly<Record<string, string>>;

/** What the policy engine said when the call was cleared, as recorded. */
export interface PolicyOutcome {
  readonly permitted: boolean;
  readonly reason: string;
}

/** Something a step was to show. Met like a criterion of the goal, see `checkCriterion`. */
export type Criterion = Pick<AcceptanceCriterion, 'id' | 'evidence'>;

/** A whole run, as recorded. */
export interface RunCase {
  readonly risk: RiskClass;
  /** Acceptance criteria of the goal. */
  readonly criteria: readonly AcceptanceCriterion[];
  readonly evidence: EvidenceByType;
  readonly steps: readonly StepScore[];
  readonly facts: readonly SourcedFact[];
  /** Statements of the answer, if there is one yet. */
  readonly claims: readonly CaseClaim[];
  /** Ids of everything that was observed and committed. */
  readonly observations: { has(observation: string): boolean };
  readonly panel?: PanelCase;
}

export interface CaseClaim {
  readonly statement: string;
  readonly observation: string | null;
  /** What kind of work the statement is the result of. Unknown kinds need an observation. */
  readonly task?: string;
}

/** An evaluator's answer: how good, between 0 and 1, and what a number cannot say. */
export interface Assessment {
  readonly score: number;
  readonly findings?: readonly Finding[];
  /** What it wants done at least, whatever the scores say. It cannot have less done than they ask for. */
  readonly verdict?: StepVerdict;
  readonly note?: string;
}

/**
 * A pure rule with a version. Same case, same answer, for ever: a rule that changes gets a new version, and the
 * old one stays for the runs that were judged by it.
 */
export interface Evaluator<C> {
  readonly name: string;
  readonly version: string;
  /** The score it contributes to; its own name if absent. Contributions are multiplied. */
  readonly feeds?: string;
  assess(c: C): Assessment;
}
