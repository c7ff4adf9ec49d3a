import type { BudgetCaps } from '../budget.ts';
import type { Goal } from '../goal.ts';
import type { Address } from '../hash.ts';
import type { Identity, SecurityToken } from '../identity.ts';
import type { JsonObject } from '../json.ts';
import type { LaneSeat } from '../lane.ts';
import type { RunManifest } from '../manifest.ts';
import type { ModelCall } from '../model-call.ts';
import type { RiskClass } from '../risk.ts';
import type { ToolCost } from '../tool.ts';

/** What happens before anything is planned. */
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
    /** Present where the run is a lane of another one. */
    readonly lane?: LaneSeat;
    /** How often a session says how far it has come. Present where it is one. */
    readonly progress_ms?: number;
    /** Of a session: how long it may last from when it began, as it was asked for. */
    readonly ttl_ms?: number;
  };
  intent_classified: {
    readonly intent: string;
    readonly task_class: string;
    readonly risk: RiskClass;
    readonly modality: string;
    readonly capability: string;
    readonly confidence: number;
    readonly candidates: readonly string[];
    /** Present where one of them is regulated: the answer waits for a reviewer. */
    readonly regulated?: true;
  };
  /** Which reading a model found; null where it found none, or could not be asked. */
  intent_read: {
    readonly intent: string | null;
    readonly task_class: string;
    readonly confidence: number;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  scope_resolved: {
    readonly token: SecurityToken | null;
    readonly reason: string | null;
    /** Scopes that were asked for and that a person has to open first. Present only where there are some. */
    readonly confirm?: readonly string[];
  };
  policy_checked: { readonly cleared: boolean; readonly rule: string | null };
  run_initialized: {
    readonly manifest: RunManifest;
    readonly caps: BudgetCaps;
    /** Evidence the compiled context brings along: type to the id of the item. */
    readonly evidence: Readonly<Record<string, string>>;
    /** Until when each of these items may be rested on. */
    readonly fresh_until?: Readonly<Record<string, number>>;
    /** Address of the compiled context, as it was before anything was withheld. */
    readonly context?: Address;
    /** Memories that were put away when the run asked for what is remembered, each with the reason. */
    readonly quarantined?: Readonly<Record<string, string>>;
    /** Address of what decides about the run besides what its manifest names: limits, gates, and the graph and rubric whole. */
    readonly decided_by?: Address;
    /** Items of untrusted sources that the planner is shown from the start. Present only where there are some. */
    readonly untrusted_context?: readonly string[];
  };
}
