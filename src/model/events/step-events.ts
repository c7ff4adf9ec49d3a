import type { ApprovalMode } from '../approval-mode.ts';
import type { BudgetDimension } from '../budget.ts';
import type { CachedAnswer } from '../degradation.ts';
import type { Drafts } from '../draft.ts';
import type { EffectOutcome } from '../effect-outcome.ts';
import type { FaultCode } from '../fault-table.ts';
import type { StandingGrant } from '../grant.ts';
import type { Json, JsonObject } from '../json.ts';
import type { JudgesAnswered } from '../judge.ts';
import type { RunJudged, StepJudged } from '../judgement.ts';
import type { ModelCall } from '../model-call.ts';
import type { RequestGrant } from '../origin.ts';
import type { AsPlanned, PolicyDecision } from '../policy-decision.ts';
import type { Problem } from '../problem.ts';
import type { StoredAnswer } from '../stored-answer.ts';
import type { ToolCost, ToolOutcome } from '../tool.ts';

/** One action cycle: a step from its clearance to its verdict, or what it takes to undo it. */
export interface StepEvents {
  /** What is left may not last to the end of the plan. A warning: only what is certain stops a run. */
  shortage_foreseen: { readonly dimension: BudgetDimension; readonly needed: number; readonly left: number };
  /** What a model wrote where the plan leaves arguments of a step open. From here on they are as fixed as all others. */
  arguments_drafted: {
    readonly step_id: string;
    readonly drafts: Drafts;
    /** Present where nothing was written that could be used. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  step_cleared: {
    readonly step_id: string;
    readonly args: JsonObject;
    readonly args_hash: string;
    readonly mode: ApprovalMode;
    readonly gates: readonly string[];
    /** Present where a limit of rate defers the call until then. */
    readonly not_before?: number;
    /** Present where the category of the tool has something to show to whoever decides. */
    readonly preview?: JsonObject;
    /** Present where the requester's own word stands for the gate that the mode asks for. */
    readonly granted?: RequestGrant;
    /** Present where a grant that a person gave in advance stands for the gate that the mode asks for. */
    readonly standing?: StandingGrant;
    /** Present where there are rules about calls. */
    readonly policy?: PolicyDecision | AsPlanned;
  };
  step_refused: {
    readonly step_id: string;
    readonly layer: RefusalLayer;
    readonly code: FaultCode;
    readonly message: string;
    readonly missing: readonly string[];
    /** Present where the rules about calls had been asked by then. */
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
    readonly spent: ToolCost;
    /** Present where the tool was not there and an earlier answer of it was given instead. */
    readonly cached?: CachedAnswer;
    /** Every request to a model that the tool made for it. */
    readonly calls?: readonly ModelCall[];
    /** The gateway never handed the call to its tool: whatever it would have done has not happened. */
    readonly unsent?: true;
    /** Present where the answer is kept beside the journal: what was found when the whole of it was looked at. */
    readonly stored?: StoredAnswer;
    /** The model that the tool asks cannot be used as it is configured: asked again, the same would be said. */
    readonly misconfigured?: true;
  };
  /** What a tool said after its time was up. It is on record, and nothing is concluded from it. */
  answer_came_late: {
    readonly call_id: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
  };
  /** What a read-only probe found out about a call that may or may not have had its effect. */
  call_reconciled: {
    readonly call_id: string;
    readonly probe: string;
    readonly finding: Reconciliation;
    /** What the call brought about, where it is known to have happened; otherwise what the probe said. */
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
    /** Present where the gateway did not let the probe be asked. Then nothing is known. */
    readonly refused?: ProbeRefusal;
    /** Present where there are rules about calls and they were asked about this one. */
    readonly policy?: PolicyDecision;
    /** Present where what the call brought about is kept beside the journal. */
    readonly stored?: StoredAnswer;
  };
  /** What a read-only probe saw of an effect that a tool says it had. */
  step_probed: {
    readonly call_id: string;
    readonly probe: string;
    readonly as_expected: boolean;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
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
    /** The call in whose transcript all of this can be looked up. */
    readonly call_id: string;
    /** The tool that said it. */
    readonly source: string;
    readonly version: number;
    readonly evidence_id: string;
    readonly validator: string;
  };
  /** With what an effect of an abandoned run is taken back; null where its arguments could not be made out. */
  compensation_proposed: {
    /** The call that had the effect. */
    readonly call_id: string;
    readonly tool: string;
    readonly args: JsonObject | null;
    readonly detail: string;
  };
  /** What became of one effect of an abandoned run. */
  step_compensated: { readonly settled: EffectOutcome };
  step_judged: StepJudged;
  run_judged: RunJudged;

  /** What models said that were asked to judge, as they said it. What that means is worked out anew each time. */
  judges_answered: JudgesAnswered;
}

/** What can be known afterwards about a call that was not heard of again. */
export const RECONCILIATIONS = ['happened', 'did_not_happen', 'unknown'] as const;
export type Reconciliation = (typeof RECONCILIATIONS)[number];

/** Which check of the gateway said no. */
export const REFUSAL_LAYERS = ['registry', 'schema', 'permission', 'budget', 'risk', 'infrastructure'] as const;
export type RefusalLayer = (typeof REFUSAL_LAYERS)[number];

/** Which layer did not let a probe be asked, and why. */
export interface ProbeRefusal {
  readonly layer: RefusalLayer;
  readonly code: FaultCode;
}
