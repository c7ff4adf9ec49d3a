import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { DecisionSpec } from '../../src/model/critic/decision.ts';
import { DecisionRecord } from '../../src/model/critic/decision-record.ts';
import { VerdictEnvelope } from '../../src/model/critic/verdict.ts';
import { Checkpoint, StoredCheckpoint } from '../../src/model/events/checkpoint.ts';
import { CompiledContext } from '../../src/model/evidence/context.ts';
import { Evidence } from '../../src/model/evidence/evidence.ts';
import { MemoryEntry, MemoryProposal } from '../../src/model/evidence/memory.ts';
import { ApprovalPacket } from '../../src/model/gate/approval-packet.ts';
import { EscalationEvent } from '../../src/model/gate/escalation.ts';
import { Gate, GateDecision } from '../../src/model/gate/gate.ts';
import { StandingGrant } from '../../src/model/gate/grant.ts';
import { Handoff } from '../../src/model/gate/handoff.ts';
import { Problem } from '../../src/model/json/problem.ts';
import { Goal } from '../../src/model/plan/goal.ts';
import { Plan } from '../../src/model/plan/plan.ts';
import { Boundary } from '../../src/model/policy/boundary.ts';
import { RunTrace } from '../../src/model/record/trace.ts';
import { Transcript } from '../../src/model/record/transcript.ts';
import { Identity, SafetyClearance, SecurityToken } from '../../src/model/run/identity.ts';
import { LaneEnvelope } from '../../src/model/run/lane.ts';
import { RunManifest } from '../../src/model/run/manifest.ts';
import { RunContext } from '../../src/model/run/run-context.ts';
import { RunRequest } from '../../src/model/run/run-request.ts';
import { ProgressEnvelope, Session } from '../../src/model/run/session.ts';
import { Attempted, Committed, Intended, Observed, Verified } from '../../src/model/tool/observation.ts';
import { ToolSpec } from '../../src/model/tool/tool.ts';

/** A document of test/fixtures/documents, its schema and its optional fields. */
export interface Example {
  readonly file: string;
  readonly schema: z.ZodType;
  readonly optional: readonly string[];
}

const example = (file: string, schema: z.ZodType, optional: readonly string[] = []): Example => ({
  file,
  schema,
  optional,
});

/** Copied from the source texts, character for character. */
export const PUBLISHED: readonly Example[] = [
  example('refund-plan', Plan),
  example('invoice-session', Session),
  example('progress-envelope', ProgressEnvelope),
  example('verdict-envelope', VerdictEnvelope),
];

export const EXAMPLES: readonly Example[] = [
  ...PUBLISHED,
  example('approval-packet', ApprovalPacket),
  example('attempted', Attempted),
  example('boundary', Boundary),
  example('checkpoint', Checkpoint),
  example('committed', Committed),
  example('compiled-context', CompiledContext),
  example('decision-record', DecisionRecord),
  example('decision-spec', DecisionSpec),
  example('escalation-event', EscalationEvent),
  example('evidence', Evidence),
  example('gate', Gate),
  example('gate-decision', GateDecision),
  example('goal', Goal, ['required_fields']),
  example('handoff', Handoff),
  example('identity', Identity),
  example('intended', Intended),
  example('lane-envelope', LaneEnvelope),
  example('memory-entry', MemoryEntry),
  example('memory-proposal', MemoryProposal),
  example('observed', Observed, ['detail']),
  example('problem', Problem, ['step_id', 'detail']),
  example('run-context', RunContext),
  example('run-manifest', RunManifest),
  example('run-request', RunRequest, ['inputs', 'runtime']),
  example('run-trace', RunTrace),
  example('safety-clearance', SafetyClearance),
  example('security-token', SecurityToken),
  example('standing-grant', StandingGrant),
  example('stored-checkpoint', StoredCheckpoint),
  example('tool-spec', ToolSpec, ['argument_allow', 'equivalents']),
  example('transcript', Transcript),
  example('verified', Verified),
];

export const DOCUMENTS: URL = new URL('../fixtures/documents/', import.meta.url);

export function readDocument(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`${file}.json`, DOCUMENTS), 'utf8'));
}
