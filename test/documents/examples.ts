import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ApprovalPacket } from '../../src/model/approval-packet.ts';
import { Boundary } from '../../src/model/boundary.ts';
import { Checkpoint, StoredCheckpoint } from '../../src/model/checkpoint.ts';
import { CompiledContext } from '../../src/model/context.ts';
import { DecisionRecord, DecisionSpec } from '../../src/model/decision.ts';
import { EscalationEvent } from '../../src/model/escalation.ts';
import { Evidence } from '../../src/model/evidence.ts';
import { Gate, GateDecision } from '../../src/model/gate.ts';
import { Goal } from '../../src/model/goal.ts';
import { StandingGrant } from '../../src/model/grant.ts';
import { Handoff } from '../../src/model/handoff.ts';
import { Identity, SafetyClearance, SecurityToken } from '../../src/model/identity.ts';
import { LaneEnvelope } from '../../src/model/lane.ts';
import { RunManifest } from '../../src/model/manifest.ts';
import { MemoryEntry, MemoryProposal } from '../../src/model/memory.ts';
import { Attempted, Committed, Intended, Observed, Verified } from '../../src/model/observation.ts';
import { Plan } from '../../src/model/plan.ts';
import { Problem } from '../../src/model/problem.ts';
import { ProgressEnvelope } from '../../src/model/progress.ts';
import { RunContext } from '../../src/model/run-context.ts';
import { RunRequest } from '../../src/model/run-request.ts';
import { Session } from '../../src/model/session.ts';
import { ToolSpec } from '../../src/model/tool.ts';
import { RunTrace } from '../../src/model/trace.ts';
import { Transcript } from '../../src/model/transcript.ts';
import { VerdictEnvelope } from '../../src/model/verdict.ts';

/** A document of test/fixtures/documents, the schema it belongs to, and the fields it may do without. */
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

/** Taken from the texts that define this product, character for character. */
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
