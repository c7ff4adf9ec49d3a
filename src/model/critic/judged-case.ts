import type { z } from 'zod';
import type { SourcedFact } from '../evidence/evidence.ts';
import { exactObject } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import type { Problem } from '../json/problem.ts';
import type { AcceptanceCriterion } from '../plan/goal.ts';
import type { Assumption, PlanStep } from '../plan/plan.ts';
import type { RiskClass } from '../policy/risk.ts';
import type { ToolCost, ToolOutcome, ToolSpec } from '../tool/tool.ts';
import type { ApprovalEntry } from './decision-record.ts';
import type { PanelCase } from './judge.ts';
import type { StepScore } from './verdict.ts';

/** One recorded step with everything that its judgement may use. The live run and replay build the same case. */
export interface StepCase {
  readonly step: PlanStep;
  readonly tool: ToolSpec;
  readonly args: JsonObject;
  readonly outcome: ToolOutcome;
  /** The part of the tool's answer that verification confirmed; null if it confirmed nothing. */
  readonly output: Json | null;
  /** Problems that verification found in the tool's answer. */
  readonly problems: readonly Problem[];
  readonly support: StepSupport;
  /** Present if judges evaluated the step. */
  readonly panel?: PanelCase;
}

export interface StepSupport {
  readonly evidence: StepEvidence;
  /** People's decisions about this step. */
  readonly approvals: readonly ApprovalEntry[];
  readonly policy: PolicyOutcome;
  /** Assumptions of the plan that this step can disprove. */
  readonly assumptions: readonly Assumption[];
  readonly criteria: readonly Criterion[];
  /** Facts that this step committed, and earlier ones that they could contradict. */
  readonly facts: readonly SourcedFact[];
  readonly spending: Spending;
}

/** Actual and projected cost of a call. */
export interface Spending {
  readonly spent: ToolCost;
  readonly projected: ToolCost;
}

export interface StepEvidence {
  /** Newest evidence id of each type, including this step's own. */
  readonly known: EvidenceByType;
  /** Types that the decisions bound to this step need. */
  readonly needed: readonly string[];
  /** Types that the plan expects from this step. */
  readonly expected: readonly string[];
  /** Types that the step supplied. */
  readonly supplied: readonly string[];
  /** References that the step uses and that no committed evidence resolves. */
  readonly unresolved: readonly string[];
}

export type EvidenceByType = Readonly<Record<string, string>>;

/** The recorded policy decision on the call. */
export interface PolicyOutcome {
  readonly permitted: boolean;
  readonly reason: string;
}

/** A criterion that a step has to meet, in the same way as a criterion of the goal (see `checkCriterion`). */
export type Criterion = Pick<AcceptanceCriterion, 'id' | 'evidence'>;

/** A complete run, as recorded. */
export interface RunCase {
  readonly risk: RiskClass;
  /** Acceptance criteria of the goal. */
  readonly criteria: readonly AcceptanceCriterion[];
  readonly evidence: EvidenceByType;
  readonly steps: readonly StepScore[];
  readonly facts: readonly SourcedFact[];
  /** Statements of the answer, if there is an answer yet. */
  readonly claims: readonly CaseClaim[];
  /** Ids of all committed observations. */
  readonly observations: { has(observation: string): boolean };
  readonly panel?: PanelCase;
}

/** A question whose end a model proposes, to check whether a part of it is open. */
export interface QuestionCase {
  readonly request: string;
  readonly facts: readonly ObservedFact[];
  /** The tools that were called. */
  readonly called: readonly ToolSpec[];
  /** The permitted tools that only read and were not called. */
  readonly uncalled: readonly ToolSpec[];
  /** The parts that were pointed out before. Each is pointed out once. */
  readonly pointedOut: readonly string[];
}

/** A committed value, with JSON Pointers to the parts that the requester may not see. */
export interface ObservedFact {
  readonly tool: string;
  readonly value: Json;
  readonly hidden: readonly string[];
}

/** A part of a question that no fact answers, and a tool that may. */
export interface OpenPart {
  readonly part: string;
  readonly tool: string;
}
export const OpenPart: z.ZodType<OpenPart> = exactObject({ part: Text, tool: Name });

export interface CaseClaim {
  readonly statement: string;
  readonly observation: string | null;
  /** The kind of work that produced the statement. Unknown kinds need an observation. */
  readonly task?: string;
}
