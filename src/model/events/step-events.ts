import { z } from 'zod';
import { BUDGET_DIMENSIONS, type BudgetDimension } from '../budget/dimensions.ts';
import type { ModelCall } from '../budget/model-call.ts';
import { JudgeAnswer, type JudgesAnswered } from '../critic/judge.ts';
import { OpenPart } from '../critic/judged-case.ts';
import { Finding, Scores, StepVerdict } from '../critic/verdict.ts';
import { RequestGrant } from '../evidence/origin.ts';
import type { FaultCode } from '../fault/fault-table.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { StandingGrant } from '../gate/grant.ts';
import { exactObject, JsonRecord, JsonValue } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';
import { Problem } from '../json/problem.ts';
import type { Drafts } from '../plan/plan.ts';
import { AS_PLANNED, type AsPlanned, PolicyDecision } from '../policy/policy-decision.ts';
import { CachedAnswer } from '../tool/degradation.ts';
import { EffectOutcome } from '../tool/effect-outcome.ts';
import { StoredAnswer } from '../tool/observation.ts';
import type { InputEvidence } from '../tool/step-input.ts';
import { CallSpent, ToolCost, ToolOutcome } from '../tool/tool.ts';
import { AddressText, type EventShapes, eventShapes, FaultCodeName, ModelCalls } from './event-shape.ts';

/** The Critic's assessment of a step. */
interface StepJudged {
  readonly step_id: string;
  readonly scores: Scores;
  /** The score card: the score of each evaluator of the rubric, by `name@version`. */
  readonly criteria: Scores;
  readonly findings: readonly Finding[];
  /** Present if an evaluator demands a verdict regardless of the scores. */
  readonly verdict?: StepVerdict;
}

/** The Critic's assessment of the run, with the goal criteria that no evidence shows. */
interface RunJudged {
  readonly scores: Scores;
  readonly criteria: Scores;
  readonly unmet: readonly string[];
  readonly findings: readonly Finding[];
  readonly verdict?: StepVerdict;
  /** The part of the question for which the proposed end is refused. */
  readonly open_part?: OpenPart;
}

/** One action cycle: a step from its clearance to its verdict, or its compensation. */
export interface StepEvents {
  /** Warns that the remaining budget may not last to the end of the plan. Only a certain shortage stops a run. */
  shortage_foreseen: { readonly dimension: BudgetDimension; readonly needed: number; readonly left: number };
  /** A model wrote the arguments that the plan left open. They are fixed from here on, like all others. */
  arguments_drafted: {
    readonly step_id: string;
    readonly drafts: Drafts;
    /** Present if the model wrote nothing usable. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  step_cleared: {
    readonly step_id: string;
    readonly args: JsonObject;
    readonly args_hash: string;
    /** The evidence behind the inputs of the call, by context key; absent if it has none. */
    readonly inputs?: InputEvidence;
    readonly mode: ApprovalMode;
    readonly gates: readonly string[];
    /** Present if a rate limit defers the call until then. */
    readonly not_before?: number;
    /** A preview for the approver; present if the tool's category has one. */
    readonly preview?: JsonObject;
    /** Present if the requester's own statement replaces the gate that the mode requires. */
    readonly granted?: RequestGrant;
    /** Present if a grant that a person gave in advance replaces the gate that the mode requires. */
    readonly standing?: StandingGrant;
    /** Present if there are rules about calls. */
    readonly policy?: PolicyDecision | AsPlanned;
  };
  step_refused: {
    readonly step_id: string;
    readonly layer: RefusalLayer;
    readonly code: FaultCode;
    readonly message: string;
    readonly missing: readonly string[];
    /** Present if the rules about calls ran before the refusal. */
    readonly policy?: PolicyDecision;
  };
  step_attempted: {
    readonly call_id: string;
    readonly step_id: string;
    readonly tool: string;
    readonly args_hash: string;
    readonly idempotency_key: string;
    readonly attempt: number;
    readonly timeout_ms: number;
    readonly dispatch_before: number;
  };
  step_observed: {
    readonly call_id: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly detail?: string;
    readonly spent: CallSpent;
    /** Present if the tool was unavailable and an earlier answer of it was used. */
    readonly cached?: CachedAnswer;
    /** Every model request that the tool made for this call. */
    readonly calls?: readonly ModelCall[];
    /** The call had no effect: the gateway never sent it, or its tool refused it with the fault `nothing_done`. */
    readonly unsent?: true;
    /** Its tool refused the call with the fault `nothing_done`. */
    readonly refused?: true;
    /** The checks of the complete answer; present if the answer is stored outside the journal. */
    readonly stored?: StoredAnswer;
    /** The tool's model cannot be used as configured, so a retry would fail again. */
    readonly misconfigured?: true;
  };
  /** Records an answer that arrived after the timeout. The kernel concludes nothing from it. */
  answer_came_late: {
    readonly call_id: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: CallSpent;
  };
  /** The result of a read-only probe of a call that may or may not have had its effect. */
  call_reconciled: {
    readonly call_id: string;
    readonly probe: string;
    readonly finding: Reconciliation;
    /** The result of the call if it is known to have happened; otherwise the answer of the probe. */
    readonly raw: Json;
    readonly detail: string;
    readonly spent: CallSpent;
    /** Present if the gateway refused the probe. The finding is then `unknown`. */
    readonly refused?: ProbeRefusal;
    /** Present if the rules about calls decided about the probe. */
    readonly policy?: PolicyDecision;
    /** Present if the result of the call is stored outside the journal. */
    readonly stored?: StoredAnswer;
  };
  /** The result of a read-only probe of an effect that a tool reported. */
  step_probed: {
    readonly call_id: string;
    readonly probe: string;
    readonly as_expected: boolean;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: CallSpent;
    readonly refused?: ProbeRefusal;
    readonly policy?: PolicyDecision;
  };
  step_verified: {
    readonly call_id: string;
    readonly ok: boolean;
    readonly confirmed: 'all' | readonly string[];
    readonly validator: string;
    readonly problems: readonly Problem[];
  };
  step_committed: {
    /** The call whose transcript holds the committed result. */
    readonly call_id: string;
    /** The tool that returned the result. */
    readonly source: string;
    readonly version: number;
    readonly evidence_id: string;
    readonly validator: string;
  };
  /** The call that undoes an effect of an abandoned run; `args` is null if its arguments could not be derived. */
  compensation_proposed: {
    /** The call that had the effect. */
    readonly call_id: string;
    readonly tool: string;
    readonly args: JsonObject | null;
    readonly detail: string;
  };
  /** The outcome of undoing one effect of an abandoned run. */
  step_compensated: { readonly settled: EffectOutcome };
  step_judged: StepJudged;
  run_judged: RunJudged;

  /** The answers of the judge models, verbatim. The Critic derives their meaning anew each time. */
  judges_answered: JudgesAnswered;
}

/** The possible findings about a call that was never answered. */
const RECONCILIATIONS = ['happened', 'did_not_happen', 'unknown'] as const;
export type Reconciliation = (typeof RECONCILIATIONS)[number];

/** The gateway checks that can refuse a call. */
export const REFUSAL_LAYERS = ['registry', 'schema', 'permission', 'budget', 'risk', 'infrastructure'] as const;
export type RefusalLayer = (typeof REFUSAL_LAYERS)[number];

/** The layer that refused a probe, and the fault code. */
export interface ProbeRefusal {
  readonly layer: RefusalLayer;
  readonly code: FaultCode;
}

const ProbeRefusal: z.ZodType<ProbeRefusal> = exactObject({ layer: z.enum(REFUSAL_LAYERS), code: FaultCodeName });

export const STEP_EVENTS: EventShapes<StepEvents> = eventShapes<StepEvents>()({
  shortage_foreseen: {
    dimension: z.enum([...BUDGET_DIMENSIONS, 'tool_spend_usd']),
    needed: z.number(),
    left: z.number(),
  },
  arguments_drafted: {
    step_id: Name,
    drafts: z.record(Pointer, JsonValue),
    failure: z.strictObject({ code: FaultCodeName, message: Text }).exactOptional(),
    spent: ToolCost,
    calls: ModelCalls,
  },
  step_cleared: {
    step_id: Name,
    args: JsonRecord,
    args_hash: AddressText,
    inputs: z.record(Name, Name).exactOptional(),
    mode: ApprovalMode,
    gates: z.array(Name),
    not_before: Instant.exactOptional(),
    preview: JsonRecord.exactOptional(),
    granted: RequestGrant.exactOptional(),
    standing: StandingGrant.exactOptional(),
    policy: z.union([PolicyDecision, z.literal(AS_PLANNED)]).exactOptional(),
  },
  step_refused: {
    step_id: Name,
    layer: z.enum(REFUSAL_LAYERS),
    code: FaultCodeName,
    message: z.string(),
    missing: z.array(z.string()),
    policy: PolicyDecision.exactOptional(),
  },
  step_attempted: {
    call_id: Name,
    step_id: Name,
    tool: Name,
    args_hash: AddressText,
    idempotency_key: Name,
    attempt: z.int().positive(),
    timeout_ms: z.int().positive(),
    dispatch_before: Instant,
  },
  step_observed: {
    call_id: Name,
    outcome: ToolOutcome,
    raw: JsonValue,
    detail: z.string().exactOptional(),
    spent: CallSpent,
    cached: CachedAnswer.exactOptional(),
    calls: ModelCalls,
    unsent: z.literal(true).exactOptional(),
    refused: z.literal(true).exactOptional(),
    stored: StoredAnswer.exactOptional(),
    misconfigured: z.literal(true).exactOptional(),
  },
  answer_came_late: { call_id: Name, outcome: ToolOutcome, raw: JsonValue, detail: Text, spent: CallSpent },
  call_reconciled: {
    call_id: Name,
    probe: Name,
    finding: z.enum(RECONCILIATIONS),
    raw: JsonValue,
    detail: z.string(),
    spent: CallSpent,
    refused: ProbeRefusal.exactOptional(),
    policy: PolicyDecision.exactOptional(),
    stored: StoredAnswer.exactOptional(),
  },
  step_probed: {
    call_id: Name,
    probe: Name,
    as_expected: z.boolean(),
    raw: JsonValue,
    detail: z.string(),
    spent: CallSpent,
    refused: ProbeRefusal.exactOptional(),
    policy: PolicyDecision.exactOptional(),
  },
  step_verified: {
    call_id: Name,
    ok: z.boolean(),
    confirmed: z.union([z.literal('all'), z.array(z.string())]),
    validator: Name,
    problems: z.array(Problem),
  },
  step_committed: { call_id: Name, source: Name, version: z.int().positive(), evidence_id: Name, validator: Name },
  compensation_proposed: { call_id: Name, tool: Name, args: JsonRecord.nullable(), detail: z.string() },
  step_compensated: { settled: EffectOutcome },
  step_judged: {
    step_id: Name,
    scores: Scores,
    criteria: Scores,
    findings: z.array(Finding),
    verdict: StepVerdict.exactOptional(),
  },
  run_judged: {
    scores: Scores,
    criteria: Scores,
    unmet: z.array(Name),
    findings: z.array(Finding),
    verdict: StepVerdict.exactOptional(),
    open_part: OpenPart.exactOptional(),
  },
  judges_answered: {
    about: Name.nullable(),
    answers: z.array(JudgeAnswer).min(1).max(20),
    safer: z.literal(true).exactOptional(),
    spent: ToolCost,
    calls: ModelCalls,
  },
});
