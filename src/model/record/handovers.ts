import { z } from 'zod';
import { BudgetCaps } from '../budget/budget.ts';
import { DecisionRecord } from '../critic/decision-record.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { EscalationEvent } from '../gate/escalation.ts';
import { exactObject, JsonRecord, JsonValue } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Instant, Name } from '../json/name.ts';
import { Goal } from '../plan/goal.ts';
import { Degradation } from '../tool/degradation.ts';
import { RUNGS, type Rung } from '../tool/observation.ts';
import { ToolOutcome } from '../tool/tool.ts';
import { AUDIT_KINDS, type AuditEntry } from './audit-entry.ts';
import { BudgetTrace, EscalationTrace, EventPointer, UserScope } from './trace.ts';

/** For permission owners: the scope of the run, and all its denials. */
export interface ScopeRecord {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly user_scope: UserScope;
  readonly boundary_version: string;
  readonly allowed_tools: readonly string[];
  readonly denials: readonly {
    readonly subject: string;
    readonly layer: string;
    readonly code: string;
    readonly message: string;
  }[];
}
export const ScopeRecord: z.ZodType<ScopeRecord> = exactObject({
  run_id: Name,
  tenant_id: Name,
  user_scope: UserScope,
  boundary_version: Name,
  allowed_tools: z.array(Name),
  denials: z.array(z.strictObject({ subject: Name, layer: Name, code: Name, message: z.string() })),
});

/** For quota owners: the limits, their usage, and the people who extended them. */
export interface BudgetLimits {
  readonly run_id: string;
  readonly budget_vector: BudgetTrace;
  readonly extensions: readonly {
    readonly by: string;
    readonly reason: string;
    readonly delta: Readonly<Record<string, number>>;
  }[];
}
export const BudgetLimits: z.ZodType<BudgetLimits> = exactObject({
  run_id: Name,
  budget_vector: BudgetTrace,
  extensions: z.array(z.strictObject({ by: Name, reason: z.string(), delta: z.record(Name, z.number()) })),
});

/** For the operators of degraded services: the handovers of the run, its stand-ins and its failed calls. */
export interface EscalationRoutes {
  readonly run_id: string;
  readonly routes: readonly EscalationEvent[];
  readonly degraded: readonly Degradation[];
  readonly failed_calls: readonly { readonly tool: string; readonly call_id: string; readonly outcome: string }[];
  readonly terminal: { readonly code: TerminalCode; readonly reason: string };
}
export const EscalationRoutes: z.ZodType<EscalationRoutes> = exactObject({
  run_id: Name,
  routes: z.array(EscalationEvent),
  degraded: z.array(Degradation),
  failed_calls: z.array(z.strictObject({ tool: Name, call_id: Name, outcome: Name })),
  terminal: z.strictObject({ code: TerminalCode, reason: Name }),
});

/** For the approval interface: the exact packets that approvers were shown. */
export interface ApprovalPackets {
  readonly run_id: string;
  readonly packets: readonly {
    readonly gate_id: string;
    readonly name: string;
    readonly packet_hash: string;
    readonly packet: JsonObject;
  }[];
}
export const ApprovalPackets: z.ZodType<ApprovalPackets> = exactObject({
  run_id: Name,
  packets: z.array(z.strictObject({ gate_id: Name, name: Name, packet_hash: Name, packet: JsonRecord })),
});

/** For the review queue: the requests to people, and all their decisions. */
export interface ReviewRecords {
  readonly run_id: string;
  readonly requests: readonly EscalationTrace[];
  readonly decisions: readonly {
    readonly by: string;
    readonly decision: string;
    readonly about: string;
    readonly reason: string;
    readonly at: Instant;
    readonly credential: string | null;
  }[];
}
export const ReviewRecords: z.ZodType<ReviewRecords> = exactObject({
  run_id: Name,
  requests: z.array(EscalationTrace),
  decisions: z.array(
    z.strictObject({
      by: Name,
      decision: Name,
      about: Name,
      reason: z.string(),
      at: Instant,
      credential: Name.nullable(),
    }),
  ),
});

/** For the owners of agent governance. */
export interface GovernanceRecord {
  readonly run_id: string;
  readonly owner: string;
  readonly boundary_version: string;
  readonly policy_version: string;
  readonly decision: DecisionRecord;
  /** Owners, versions, approvals and exceptions, chained. */
  readonly entries: readonly AuditEntry[];
}
export const GovernanceRecord: z.ZodType<GovernanceRecord> = exactObject({
  run_id: Name,
  owner: Name,
  boundary_version: Name,
  policy_version: Name,
  decision: DecisionRecord,
  entries: z.array(
    z.strictObject({
      entry_id: Name,
      run_id: Name,
      kind: z.enum(AUDIT_KINDS),
      at: Instant,
      who: z.string(),
      what: JsonRecord,
      frame: ContentAddress,
      hash: ContentAddress,
    }),
  ),
});

/** For dashboards: all countable events, with their time. */
export interface MetricStream {
  readonly run_id: string;
  readonly points: readonly {
    readonly at: Instant;
    readonly metric: string;
    readonly value: number;
    readonly label: string | null;
  }[];
}
export const MetricStream: z.ZodType<MetricStream> = exactObject({
  run_id: Name,
  points: z.array(z.strictObject({ at: Instant, metric: Name, value: z.number(), label: Name.nullable() })),
});

/** For evaluation: the proposals, answers and trajectory of the run, to compare with later runs. */
export interface ScenarioSet {
  readonly run_id: string;
  readonly goal: Goal;
  readonly proposals: readonly Json[];
  readonly answers: readonly {
    readonly tool: string;
    readonly args_hash: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
  }[];
  readonly trajectory: readonly string[];
  readonly terminal_code: TerminalCode;
}
export const ScenarioSet: z.ZodType<ScenarioSet> = exactObject({
  run_id: Name,
  goal: Goal,
  proposals: z.array(JsonValue),
  answers: z.array(z.strictObject({ tool: Name, args_hash: Name, outcome: ToolOutcome, raw: JsonValue })),
  trajectory: z.array(Name),
  terminal_code: TerminalCode,
});

/** For replaying a run elsewhere: the bundle file, and its expected head and size. */
export interface ReplayBundle {
  readonly run_id: string;
  readonly frames: number;
  readonly head: Address;
  /** Size of the file. */
  readonly bytes: number;
  readonly file_base64: string;
}
export const ReplayBundle: z.ZodType<ReplayBundle> = exactObject({
  run_id: Name,
  frames: z.int().positive(),
  head: ContentAddress,
  bytes: z.int().positive(),
  file_base64: z.base64(),
});

/** For the person on call: how the run stopped, its faults, and its last events. */
export interface IncidentBundle {
  readonly run_id: string;
  readonly terminal: { readonly code: TerminalCode; readonly reason: string; readonly detail: JsonObject };
  readonly suppressed: readonly TerminalCode[];
  readonly faults: readonly { readonly at: Instant; readonly code: string; readonly message: string }[];
  readonly in_doubt: readonly string[];
  readonly last: readonly { readonly at: Instant; readonly event: string }[];
}
export const IncidentBundle: z.ZodType<IncidentBundle> = exactObject({
  run_id: Name,
  terminal: z.strictObject({ code: TerminalCode, reason: Name, detail: JsonRecord }),
  suppressed: z.array(TerminalCode),
  faults: z.array(z.strictObject({ at: Instant, code: Name, message: z.string() })),
  in_doubt: z.array(Name),
  last: z.array(z.strictObject({ at: Instant, event: Name })),
});

/** For the author of the next agent: the graph, the budget and the trace schema of this run. */
export interface RunTemplates {
  readonly run_id: string;
  readonly graph: JsonObject;
  readonly budget: BudgetCaps | null;
  readonly trace_schema: JsonObject;
}
export const RunTemplates: z.ZodType<RunTemplates> = exactObject({
  run_id: Name,
  graph: JsonRecord,
  budget: BudgetCaps.nullable(),
  trace_schema: JsonRecord,
});

/** A requested call, and the input schema it was checked against. */
export interface CallSignature {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly input_schema: JsonObject;
}
/** The gateway's ruling on a step before dispatch. */
export interface Eligibility {
  readonly step_id: string;
  readonly eligible: boolean;
  readonly mode: string | null;
  readonly gates: readonly string[];
  readonly layer: string | null;
  readonly reason: string | null;
}
/** The reason for a plan repair. */
export interface RepairTrace {
  readonly code: string;
  readonly step_id: string | null;
  readonly message: string;
}

/** For owners of tool contracts. */
export interface ToolContracts {
  readonly run_id: string;
  readonly requests: readonly CallSignature[];
  readonly eligibility: readonly Eligibility[];
  readonly repairs: readonly RepairTrace[];
}
export const ToolContracts: z.ZodType<ToolContracts> = exactObject({
  run_id: Name,
  requests: z.array(
    z.strictObject({ call_id: Name, step_id: Name, tool: Name, args_hash: Name, input_schema: JsonRecord }),
  ),
  eligibility: z.array(
    z.strictObject({
      step_id: Name,
      eligible: z.boolean(),
      mode: Name.nullable(),
      gates: z.array(Name),
      layer: Name.nullable(),
      reason: z.string().nullable(),
    }),
  ),
  repairs: z.array(z.strictObject({ code: Name, step_id: Name.nullable(), message: z.string() })),
});

/** The rung of a call on the grounding ladder, with its outcome and evidence. */
export interface GroundedCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly rung: Rung;
  readonly outcome: string | null;
  readonly observation: EventPointer | null;
  readonly validator: string | null;
  readonly evidence_id: string | null;
  readonly state_version: number | null;
}

/** For the verification of actions: the attempted, observed, verified and committed calls. */
export interface GroundedObservations {
  readonly run_id: string;
  readonly calls: readonly GroundedCall[];
}
export const GroundedObservations: z.ZodType<GroundedObservations> = exactObject({
  run_id: Name,
  calls: z.array(
    z.strictObject({
      call_id: Name,
      step_id: Name,
      tool: Name,
      rung: z.enum(RUNGS),
      outcome: Name.nullable(),
      observation: EventPointer.nullable(),
      validator: Name.nullable(),
      evidence_id: Name.nullable(),
      state_version: z.int().positive().nullable(),
    }),
  ),
});

/** For production diagnostics: the outcomes of each attempt, breaches, shortages and replans. */
export interface RetryHistory {
  readonly run_id: string;
  readonly steps: readonly { readonly step_id: string; readonly tool: string; readonly outcomes: readonly string[] }[];
  readonly breaches: readonly { readonly kind: string; readonly subject: string; readonly why: string }[];
  readonly shortages: readonly string[];
  readonly replans: number;
}
export const RetryHistory: z.ZodType<RetryHistory> = exactObject({
  run_id: Name,
  steps: z.array(z.strictObject({ step_id: Name, tool: Name, outcomes: z.array(Name) })),
  breaches: z.array(z.strictObject({ kind: Name, subject: z.string(), why: z.string() })),
  shortages: z.array(Name),
  replans: z.int().nonnegative(),
});
