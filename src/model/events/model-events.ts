import { z } from 'zod';
import type { ModelCall } from '../budget/model-call.ts';
import type { FaultCode } from '../fault/fault.ts';
import { JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Text } from '../json/name.ts';
import { ReflectionTrigger } from '../plan/proposal.ts';
import { ToolCost } from '../tool/tool.ts';
import { Count, type EventShapes, eventShapes, FaultCodeName, ModelCalls } from './event-shape.ts';

export const VIOLATION_KINDS = ['transition', 'proposal', 'state_write', 'claim', 'reflection', 'termination'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export const VIOLATION_INDICATORS = ['permission_creep', 'premature_termination'] as const;

/** An attempt to do something that the actor has no right to do. It is recorded and changes nothing. */
export interface Violation {
  readonly violation: ViolationKind;
  readonly subject: string;
  readonly why: string;
  /** Present if a model tried to use a right that it does not have, or declared the run finished too early. */
  readonly indicator?: (typeof VIOLATION_INDICATORS)[number];
}

/** Events caused by models, except plans. */
export interface ModelEvents {
  proposal_made: { readonly kind: string; readonly payload: Json };
  transition_requested: { readonly to: string };
  /** Records a violation of the bound. It has no other effect. */
  violation_noted: Violation;
  reflection_made: {
    readonly trigger: ReflectionTrigger;
    readonly note: string;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  context_compressed: {
    readonly lost: readonly string[];
    /** Present if the model could not be reached: the context stays uncompressed and complete. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly tokens: number;
    readonly pointer: string;
    /** Pointers to the content that is no longer shown; `digest` summarises it. */
    readonly demoted?: readonly string[];
    readonly digest?: string;
    /** Present if the digest only quotes the beginnings of dropped messages, because no model has written one. */
    readonly excerpts?: true;
    readonly spent?: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
}

export const MODEL_EVENTS: EventShapes<ModelEvents> = eventShapes<ModelEvents>()({
  proposal_made: { kind: z.string(), payload: JsonValue },
  transition_requested: { to: z.string() },
  violation_noted: {
    violation: z.enum(VIOLATION_KINDS),
    subject: z.string(),
    why: z.string(),
    indicator: z.enum(VIOLATION_INDICATORS).exactOptional(),
  },
  reflection_made: { trigger: ReflectionTrigger, note: z.string(), spent: ToolCost, calls: ModelCalls },
  context_compressed: {
    lost: z.array(z.string()),
    failure: z.strictObject({ code: FaultCodeName, message: Text }).exactOptional(),
    tokens: Count,
    pointer: z.string(),
    demoted: z.array(z.string()).exactOptional(),
    digest: Text.exactOptional(),
    excerpts: z.literal(true).exactOptional(),
    spent: ToolCost.exactOptional(),
    calls: ModelCalls,
  },
});
