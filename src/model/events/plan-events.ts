import { z } from 'zod';
import type { ModelCall } from '../budget/model-call.ts';
import { PlanVerdict } from '../critic/verdict.ts';
import { FilledSlots } from '../evidence/origin.ts';
import type { FaultCode } from '../fault/fault-table.ts';
import { JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import { Problem } from '../json/problem.ts';
import { Plan } from '../plan/plan.ts';
import { SameDecision, StepDecision } from '../policy/policy-decision.ts';
import { ToolCost } from '../tool/tool.ts';
import {
  AddressText,
  AmountRecord,
  Count,
  type EventShapes,
  eventShapes,
  FaultCodeName,
  ModelCalls,
} from './event-shape.ts';

/** Plan proposals and the verdicts of the Critic on them. */
export interface PlanEvents {
  plan_proposed: {
    readonly proposal: Json;
    /** The author of the plan: host code or a model. */
    readonly author: PlanAuthor;
    readonly spent: ToolCost;
    readonly context_tokens: number;
    /** The places of the caller's input in a plan by host code. Without it, the input may be anywhere. */
    readonly filled?: FilledSlots;
    /** Every model request that led to the proposal. */
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
    /** Present only if verification normalised the proposal. */
    readonly plan?: Plan;
    /** Present if a model wrote the plan after it had seen untrusted text. */
    readonly tainted?: true;
    /** The policy decision about each step, as far as its call is known; present if there are rules about calls. */
    readonly policy?: readonly (StepDecision | SameDecision)[];
  };
}

export type PlanAuthor = 'host' | 'model';

export const PLAN_EVENTS: EventShapes<PlanEvents> = eventShapes<PlanEvents>()({
  plan_proposed: {
    proposal: JsonValue,
    author: z.enum(['host', 'model']),
    spent: ToolCost,
    context_tokens: Count,
    filled: FilledSlots.exactOptional(),
    calls: ModelCalls,
  },
  plan_failed: { code: FaultCodeName, message: z.string(), spent: ToolCost, calls: ModelCalls },
  plan_verified: {
    verdict: PlanVerdict,
    plan_hash: AddressText.nullable(),
    problems: z.array(Problem),
    checks: z.array(Name),
    projected: AmountRecord,
    plan: Plan.exactOptional(),
    tainted: z.literal(true).exactOptional(),
    policy: z.array(z.union([StepDecision, SameDecision])).exactOptional(),
  },
});
