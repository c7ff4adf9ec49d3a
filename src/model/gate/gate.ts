import { z } from 'zod';
import { exact, exactObject, JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Endpoint } from './escalation.ts';

/** The subject of a gate: a call, a plan, more budget, a judgement, the outcome of a call, a memory, a data scope. */
export const GATE_KINDS = ['action', 'plan', 'budget', 'review', 'in_doubt', 'memory', 'scope'] as const;
export type GateKind = (typeof GATE_KINDS)[number];
export const GateKind: z.ZodType<GateKind> = z.enum(GATE_KINDS);

/**
 * The gate of a call that needs approval only because of its mode. The request itself or a standing grant can open this
 * gate; neither opens a gate that a tool, decision or plan names.
 */
export const GATE_MODE_APPROVAL = 'GATE_MODE_APPROVAL';

/** The gate at which a person sees text that was drafted after the approval of its plan, before it leaves the run. */
export const GATE_DRAFT_APPROVAL = 'GATE_DRAFT_APPROVAL';

/** The gate of an imported tool whose author requires approval in every mode. */
export const GATE_TOOL_APPROVAL = 'GATE_TOOL_APPROVAL';

/** The people who may decide a gate. The requester of the run never can. */
export interface Deciders {
  /** A decider needs one of these roles. If the list is empty, any identified person may decide. */
  readonly roles: readonly string[];
  /** The number of different people who have to approve. One rejection is enough to reject. */
  readonly quorum: number;
  /** A person who decided another gate of the same call, or edited its arguments, cannot decide this gate. */
  readonly separation: boolean;
}
export const Deciders: z.ZodType<Deciders> = exactObject({
  roles: z.array(Name),
  quorum: z.int().positive().max(100),
  separation: z.boolean(),
});
export const ANYBODY_ELSE: Deciders = Object.freeze({ roles: Object.freeze([]), quorum: 1, separation: false });

const YEAR_MS = 365 * 24 * 3_600_000;

/** The host's settings for all gates of one name. */
export interface GatePolicy extends Deciders {
  /** The time the gate waits, independent of the session's lifetime. */
  readonly ttlMs: number;
}
export const GatePolicy: z.ZodType<Partial<GatePolicy>> = exactObject({
  roles: z.array(Name).exactOptional(),
  quorum: z.int().positive().max(100).exactOptional(),
  separation: z.boolean().exactOptional(),
  ttlMs: z.int().positive().max(YEAR_MS).exactOptional(),
});

export const GATE_STATUSES = ['open', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];
export const GateStatus: z.ZodType<GateStatus> = z.enum(GATE_STATUSES);

export const GATE_DECISIONS = ['approve', 'reject', 'edit', 'request_info'] as const;
export type GateDecisionKind = (typeof GATE_DECISIONS)[number];
export const GateDecisionKind: z.ZodType<GateDecisionKind> = z.enum(GATE_DECISIONS);

interface GateDecisionRule {
  /** The decision counts towards the quorum of its gate. */
  readonly consents: boolean;
  /** The field that only this decision may carry. */
  readonly brings: 'dismissed' | 'parameters' | 'asks' | null;
  /** The status of the gate after this decision; null if the gate stays open. */
  readonly closes: GateStatus | null;
}

/** The rules of each decision. An edit withdraws its gate, and a new gate shows the new arguments. */
export const GATE_DECISION_RULES: Readonly<Record<GateDecisionKind, GateDecisionRule>> = {
  approve: { consents: true, brings: 'dismissed', closes: 'approved' },
  reject: { consents: false, brings: null, closes: 'rejected' },
  edit: { consents: false, brings: 'parameters', closes: 'withdrawn' },
  request_info: { consents: false, brings: 'asks', closes: null },
};

/** The ways an approver can authenticate as a person. A model has none of these, so it cannot approve its own calls. */
export const CREDENTIAL_KINDS = [
  'signing_key',
  'local_operator',
  'console_session',
  'operator_token',
  'single_sign_on',
] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];
export const CredentialKind: z.ZodType<CredentialKind> = z.enum(CREDENTIAL_KINDS);

/**
 * The proof of the decider's identity. A signature covers a `DecisionStatement`; its private key is stored elsewhere.
 */
export interface DecisionProof {
  readonly credential: CredentialKind;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  readonly key_id?: string;
  readonly signed_at?: Instant;
  readonly signature?: string;
}
export const DecisionProof: z.ZodType<DecisionProof> = exactObject({
  credential: CredentialKind,
  tenant_id: Name,
  roles: z.array(Name),
  key_id: Name.exactOptional(),
  signed_at: Instant.exactOptional(),
  signature: z.string().max(200).exactOptional(),
});

/** A person's decision on exactly the packet they were shown. */
export interface GateDecision {
  readonly gate_id: string;
  readonly packet_hash: Address;
  readonly decision: GateDecisionKind;
  readonly approver: string;
  readonly credential: CredentialKind;
  readonly reason: string;
  readonly decided_at: Instant;
  /** Only for `edit`: the new arguments. They form a new packet, which needs its own decision. */
  readonly parameters?: JsonObject;
}
export const GateDecision: z.ZodType<GateDecision> = exact(
  z
    .strictObject({
      gate_id: Name,
      packet_hash: ContentAddress,
      decision: GateDecisionKind,
      approver: Name,
      credential: CredentialKind,
      reason: Text,
      decided_at: Instant,
      parameters: JsonRecord.exactOptional(),
    })
    .refine(
      ({ decision, parameters }) =>
        (GATE_DECISION_RULES[decision].brings === 'parameters') === (parameters !== undefined),
      { message: 'an edit, and nothing else, brings parameters', path: ['parameters'] },
    ),
);

/** A point at which the run waits for a person. Its timeout is independent of the session's. */
export interface Gate {
  readonly gate_id: string;
  readonly name: string;
  readonly kind: GateKind;
  readonly run_id: string;
  readonly step_id: string | null;
  readonly packet_hash: Address;
  readonly requested_from: Endpoint;
  readonly opened_at: Instant;
  readonly expires_at: Instant;
  readonly status: GateStatus;
  readonly decision: GateDecision | null;
}
export const Gate: z.ZodType<Gate> = exactObject({
  gate_id: Name,
  name: Name,
  kind: GateKind,
  run_id: Name,
  step_id: Name.nullable(),
  packet_hash: ContentAddress,
  requested_from: Endpoint,
  opened_at: Instant,
  expires_at: Instant,
  status: GateStatus,
  decision: GateDecision.nullable(),
});
