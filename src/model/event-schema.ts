import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { BUDGET_DIMENSIONS, BudgetCaps } from './budget.ts';
import { Claim } from './claim.ts';
import { CachedAnswer } from './degradation.ts';
import { EffectOutcome } from './effect-outcome.ts';
import { EscalationEvent } from './escalation.ts';
import type { EventBodies, EventBody, EventType, RunEvent } from './event.ts';
import { RECONCILIATIONS, REFUSAL_LAYERS } from './events/step-events.ts';
import { Fault } from './fault.ts';
import { FAULT_CODES } from './fault-table.ts';
import { Finding } from './finding.ts';
import { Deciders, DecisionProof, GateDecisionKind, GateKind } from './gate.ts';
import { Goal } from './goal.ts';
import { StandingGrant } from './grant.ts';
import { Identity, SecurityToken } from './identity.ts';
import { JsonRecord, JsonValue } from './json-schema.ts';
import { JudgeAnswer } from './judge.ts';
import { LaneSeat, LaneWait } from './lane.ts';
import { RunManifest } from './manifest.ts';
import { MemoryProposal, MemoryRuling } from './memory.ts';
import { ModelCall } from './model-call.ts';
import { Instant, Name, Text } from './name.ts';
import { FilledSlots, RequestGrant } from './origin.ts';
import { parse } from './parse.ts';
import { Plan } from './plan.ts';
import { Pointer } from './pointer.ts';
import { AS_PLANNED, PolicyDecision, SameDecision, StepDecision } from './policy-decision.ts';
import { Problem } from './problem.ts';
import { ReflectionTrigger } from './reflection.ts';
import { RefusedDecision } from './refused-decision.ts';
import { RevocationOutcome } from './revocation.ts';
import { RiskClass } from './risk.ts';
import { SESSION_EVENT_SHAPES } from './session-event-shapes.ts';
import { PauseCause, SessionStatus } from './session-status.ts';
import { Stop } from './stop.ts';
import { StoredAnswer } from './stored-answer.ts';
import { TerminalCode } from './terminal-code.ts';
import { ToolCost, ToolOutcome } from './tool.ts';
import { PlanVerdict, Scores, StepVerdict } from './verdict.ts';
import { VIOLATION_SHAPE } from './violation.ts';

const FaultCodeName = z.enum(FAULT_CODES);
const Count = z.int().nonnegative();
const Amounts = z.record(Name, z.number());
const AddressText = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be a content address');
const ModelCalls = z.array(ModelCall).max(100).exactOptional();
const ProbeRefusal = z.strictObject({ layer: z.enum(REFUSAL_LAYERS), code: FaultCodeName });

/** One shape an event type: what the journal may hold and what a stranger may hand in. */
const SHAPES: { readonly [T in EventType]: { readonly [F in keyof EventBodies[T]]-?: z.ZodType } } = {
  goal_received: {
    run_id: Name,
    trace_id: Name,
    tenant_id: Name,
    goal: Goal,
    inputs: JsonRecord,
    identity: Identity,
    expires_at: Instant,
    heartbeat_ms: z.int().positive().nullable(),
    lane: LaneSeat.exactOptional(),
    progress_ms: z.int().positive().exactOptional(),
    ttl_ms: z.int().positive().exactOptional(),
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
    context: AddressText.exactOptional(),
    quarantined: z.record(Name, z.string()).exactOptional(),
    decided_by: AddressText.exactOptional(),
    untrusted_context: z.array(Name).exactOptional(),
  },
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
    projected: Amounts,
    plan: Plan.exactOptional(),
    tainted: z.literal(true).exactOptional(),
    policy: z.array(z.union([StepDecision, SameDecision])).exactOptional(),
  },
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
    spent: ToolCost,
    cached: CachedAnswer.exactOptional(),
    calls: ModelCalls,
    unsent: z.literal(true).exactOptional(),
    stored: StoredAnswer.exactOptional(),
    misconfigured: z.literal(true).exactOptional(),
  },
  answer_came_late: { call_id: Name, outcome: ToolOutcome, raw: JsonValue, detail: Text, spent: ToolCost },
  lane_returned: { call_id: Name, envelope: JsonValue },
  lane_suspended: { call_id: Name, run_id: Name, waits: LaneWait },
  run_forked: {
    run_id: Name,
    trace_id: Name,
    parent: z.strictObject({ run_id: Name, frame: Count, frame_hash: Name, checkpoint_id: Name, at: Instant }),
    simulate: z.boolean(),
    answers: z.record(Name, JsonValue).exactOptional(),
    by: Name,
    reason: Text,
    proof: DecisionProof.exactOptional(),
  },
  call_reconciled: {
    call_id: Name,
    probe: Name,
    finding: z.enum(RECONCILIATIONS),
    raw: JsonValue,
    detail: z.string(),
    spent: ToolCost,
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
    spent: ToolCost,
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
  },
  judges_answered: {
    about: Name.nullable(),
    answers: z.array(JudgeAnswer).min(1).max(20),
    safer: z.literal(true).exactOptional(),
    spent: ToolCost,
    calls: ModelCalls,
  },
  gate_opened: {
    gate_id: Name,
    name: Name,
    gate_kind: GateKind,
    step_id: Name.nullable(),
    packet_hash: AddressText,
    expires_at: Instant,
    deciders: Deciders.exactOptional(),
  },
  gate_decided: {
    gate_id: Name,
    packet_hash: AddressText,
    decision: GateDecisionKind,
    approver: Name,
    reason: Text,
    parameters: JsonRecord.exactOptional(),
    asks: Name.exactOptional(),
    dismissed: z.array(Name).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  info_provided: {
    gate_id: Name,
    packet_hash: AddressText,
    by: Name,
    text: Text.exactOptional(),
    evidence: z.array(AddressText).min(1).max(100).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  decision_refused: {
    gate_id: Name.exactOptional(),
    packet_hash: z.string().max(200).exactOptional(),
    decision: RefusedDecision,
    claimed_by: z.string().max(200),
    code: FaultCodeName,
    message: Text,
  },
  question_asked: {
    question_id: Name,
    fields: z.array(z.string()),
    readings: z.array(z.string()),
    packet_hash: AddressText.exactOptional(),
  },
  question_answered: {
    question_id: Name,
    answers: JsonRecord,
    changes_scope: z.boolean(),
    by: Name,
    packet_hash: AddressText.exactOptional(),
  },
  run_escalated: { escalation: EscalationEvent, stop: Stop, packet_hash: AddressText.exactOptional() },
  escalation_decided: {
    decision: z.enum(['continue', 'finalize', 'terminate']),
    by: Name,
    reason: Text,
    compromised: z.literal(true).exactOptional(),
    happened: z.strictObject({ result: JsonValue }).exactOptional(),
    packet_hash: AddressText.exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  budget_extended: {
    by: Name,
    reason: z.string(),
    delta: Amounts,
    packet_hash: AddressText.exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  ...SESSION_EVENT_SHAPES,
  run_paused: {
    cause: PauseCause,
    by: Name,
    reason: Text.exactOptional(),
    resumes: z.literal(true).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  run_resumed: { by: Name, operator: z.boolean(), proof: DecisionProof.exactOptional() },
  run_cancelled: { by: Name, reason: Text, proof: DecisionProof.exactOptional() },
  proposal_made: { kind: z.string(), payload: JsonValue },
  transition_requested: { to: z.string() },
  violation_noted: VIOLATION_SHAPE,
  reflection_made: { trigger: ReflectionTrigger, note: z.string(), spent: ToolCost, calls: ModelCalls },
  context_compressed: {
    lost: z.array(z.string()),
    failure: z.strictObject({ code: FaultCodeName, message: Text }).exactOptional(),
    tokens: Count,
    pointer: z.string(),
    demoted: z.array(z.string()).exactOptional(),
    digest: Text.exactOptional(),
    spent: ToolCost.exactOptional(),
    calls: ModelCalls,
  },
  run_reloaded: { writer: Name },
  time_passed: {},
  stop_raised: { stop: Stop },
  credentials_revoked: { revocation_id: Name, outcome: RevocationOutcome, detail: Text },
  response_compiled: { claims: z.array(Claim), text: Text },
  memory_proposed: { proposals: z.array(MemoryProposal), validator: Name.exactOptional() },
  memory_ruled: { rulings: z.array(MemoryRuling) },
  memory_written: {
    written: z.array(Name),
    failed: z.array(z.strictObject({ entry_id: Name, reason: z.string() })),
  },
  run_terminated: {
    code: TerminalCode,
    reason: Name,
    detail: JsonRecord,
    status: SessionStatus,
    suppressed: z.array(TerminalCode),
    record: AddressText,
  },
};

const schemas = (stamp: z.core.$ZodLooseShape): ReadonlyMap<string, z.ZodType> =>
  new Map(
    Object.entries(SHAPES).map(([type, shape]) => [
      type,
      z.strictObject({ type: z.literal(type), ...stamp, ...shape }),
    ]),
  );

const EVENTS = schemas({ at: Instant });
const BODIES = schemas({});

/** An event from a file or another machine. */
export function parseEvent(value: unknown): RunEvent {
  return parse(schemaFor(EVENTS, value), value, 'event_invalid') as RunEvent;
}

/** What somebody says has happened, before the loop has stamped it with the time. */
export function parseEventBody(value: unknown): EventBody {
  return parse(schemaFor(BODIES, value), value, 'event_invalid') as EventBody;
}

/** What an event of each type cannot be without. Cheap to ask of every event, where a whole parse would not be. */
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SHAPES).map(([type, shape]) => [
    type,
    Object.entries<z.ZodType>(shape).flatMap(([field, schema]) => (schema._zod.optin === undefined ? [field] : [])),
  ]),
);

const NO_FIELDS: readonly string[] = Object.freeze([]);

/** The first field that an event lacks, or null. */
export function missingField(event: RunEvent): string | null {
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  for (const field of REQUIRED.get(event.type) ?? NO_FIELDS) if (fields[field] === undefined) return field;
  return null;
}

/** One schema by its type, so that what is wrong is said of that event and not of all of them. */
function schemaFor(table: ReadonlyMap<string, z.ZodType>, value: unknown): z.ZodType {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const schema = typeof type === 'string' ? table.get(type) : undefined;
  if (schema !== undefined) return schema;
  throw new Fault('event_invalid', '/type: there is no such event', { path: '/type' });
}
