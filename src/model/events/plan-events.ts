import type { FaultCode } from '../fault-table.ts';
import type { Json } from '../json.ts';
import type { ModelCall } from '../model-call.ts';
import type { FilledSlots } from '../origin.ts';
import type { Plan } from '../plan.ts';
import type { SameDecision, StepDecision } from '../policy-decision.ts';
import type { Problem } from '../problem.ts';
import type { ToolCost } from '../tool.ts';
import type { PlanVerdict } from '../verdict.ts';

/** What is proposed, and what the Critic says of it. */
export interface PlanEvents {
  plan_proposed: {
    readonly proposal: Json;
    /** Who wrote it: code of the host, or a model. */
    readonly author: PlanAuthor;
    readonly spent: ToolCost;
    readonly context_tokens: number;
    /** Where host code put what the caller gave. A host that does not say so may have put it anywhere. */
    readonly filled?: FilledSlots;
    /** Every request to a model that led to it. */
    readonly calls?: readonly ModelCall[];
  };
  plan_failed: {
    readonly code: FaultCode;
    readonly message: string;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  plan_verified: {
    readonly verdict: PlanVerdict;
    readonly plan_hash: string | null;
    readonly problems: readonly Problem[];
    readonly checks: readonly string[];
    readonly projected: Readonly<Record<string, number>>;
    /** Present only where verification normalised what was proposed. */
    readonly plan?: Plan;
    /** Present where a model wrote the plan after it had untrusted text before it. */
    readonly tainted?: true;
    /** Present where there are rules about calls: what they say of each step, as far as its call is known. */
    readonly policy?: readonly (StepDecision | SameDecision)[];
  };
}

export type PlanAuthor = 'host' | 'model';
