import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import type { ModelCall } from '../budget/model-call.ts';
import { JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { type Goal, ReceivedGoal } from '../plan/goal.ts';
import { RiskClass } from '../policy/risk.ts';
import { Identity, SecurityToken } from '../run/identity.ts';
import { LaneContext } from '../run/lane.ts';
import { RunManifest } from '../run/manifest.ts';
import { RunHistory } from '../run/thread.ts';
import { ToolCost } from '../tool/tool.ts';
import { type EventShapes, eventShapes, ModelCalls } from './event-shape.ts';

/** Events before the first plan. */
export interface IntakeEvents {
  goal_received: {
    readonly run_id: string;
    readonly trace_id: string;
    readonly tenant_id: string;
    readonly goal: Goal;
    readonly inputs: JsonObject;
    readonly identity: Identity;
    readonly expires_at: number;
    readonly heartbeat_ms: number | null;
    /** Present if the run is a lane of another run. */
    readonly lane?: LaneContext;
    /** The interval of progress reports; present if the run is a session. */
    readonly progress_ms?: number;
    /** The requested maximum duration of a session, counted from its start. */
    readonly ttl_ms?: number;
    /** The conversation of the message; present if the request names one. */
    readonly thread?: string;
  };
  intent_classified: {
    readonly intent: string;
    readonly task_class: string;
    readonly risk: RiskClass;
    readonly modality: string;
    readonly capability: string;
    readonly confidence: number;
    readonly candidates: readonly string[];
    /** Present if one of them is regulated: the answer then waits for a reviewer. */
    readonly regulated?: true;
  };
  /** The reading that a model chose; null if it chose none or could not be reached. */
  intent_read: {
    readonly intent: string | null;
    readonly task_class: string;
    readonly confidence: number;
    readonly spent: ToolCost;
    /** The answer to a request outside of every reading. The run ends with it if the model is sure enough. */
    readonly declined?: string;
    /** Present if that request asks for an action: the run then ends as impossible. */
    readonly impossible?: true;
    readonly calls?: readonly ModelCall[];
  };
  scope_resolved: {
    readonly token: SecurityToken | null;
    readonly reason: string | null;
    /** Requested scopes that a person must open first. Absent if there are none. */
    readonly confirm?: readonly string[];
  };
  policy_checked: { readonly cleared: boolean; readonly rule: string | null };
  run_initialized: {
    readonly manifest: RunManifest;
    readonly caps: BudgetCaps;
    /** Evidence from the compiled context: evidence type to item id. */
    readonly evidence: Readonly<Record<string, string>>;
    /** The time until which each of these items counts as fresh. */
    readonly fresh_until?: Readonly<Record<string, number>>;
    /** Address of the compiled context, before any item was withheld. */
    readonly context?: Address;
    /** Memories that were quarantined when the run loaded its memory, each with the reason. */
    readonly quarantined?: Readonly<Record<string, string>>;
    /** Address of the configuration beyond the manifest: limits, gates, and the complete graph and rubric. */
    readonly decided_by?: Address;
    /** Items of untrusted sources that the planner sees from the start. Absent if there are none. */
    readonly untrusted_context?: readonly string[];
    /** The earlier words of the requester; present if the run has a thread. */
    readonly history?: RunHistory;
  };
}

export const INTAKE_EVENTS: EventShapes<IntakeEvents> = eventShapes<IntakeEvents>()({
  goal_received: {
    run_id: Name,
    trace_id: Name,
    tenant_id: Name,
    goal: ReceivedGoal,
    inputs: JsonRecord,
    identity: Identity,
    expires_at: Instant,
    heartbeat_ms: z.int().positive().nullable(),
    lane: LaneContext.exactOptional(),
    progress_ms: z.int().positive().exactOptional(),
    ttl_ms: z.int().positive().exactOptional(),
    thread: Name.exactOptional(),
  },
  intent_classified: {
    intent: Name,
    task_class: Name,
    risk: RiskClass,
    modality: Name,
    capability: Name,
    confidence: z.number().min(0).max(1),
    candidates: z.array(Name),
    regulated: z.literal(true).exactOptional(),
  },
  intent_read: {
    intent: Name.nullable(),
    task_class: Name,
    confidence: z.number().min(0).max(1),
    spent: ToolCost,
    declined: Text.exactOptional(),
    impossible: z.literal(true).exactOptional(),
    calls: ModelCalls,
  },
  scope_resolved: {
    token: SecurityToken.nullable(),
    reason: Name.nullable(),
    confirm: z.array(Name).exactOptional(),
  },
  policy_checked: { cleared: z.boolean(), rule: Text.nullable() },
  run_initialized: {
    manifest: RunManifest,
    caps: BudgetCaps,
    evidence: z.record(Name, Name),
    fresh_until: z.record(Name, Instant).exactOptional(),
    context: ContentAddress.exactOptional(),
    quarantined: z.record(Name, z.string()).exactOptional(),
    decided_by: ContentAddress.exactOptional(),
    untrusted_context: z.array(Name).exactOptional(),
    history: RunHistory.exactOptional(),
  },
});
