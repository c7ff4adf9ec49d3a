import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { Endpoint } from './escalation.ts';
import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Instant, Name, Text } from './name.ts';

/** What is being asked for: one call, a whole plan, more budget, a judgement, what became of a call, a memory, more to read. */
export const GATE_KINDS = ['action', 'plan', 'budget', 'review', 'in_doubt', 'memory', 'scope'] as const;
export type GateKind = (typeof GATE_KINDS)[number];
export const GateKind: z.ZodType<GateKind> = z.enum(GATE_KINDS);

/**
 * The gate of a call that waits for a person only because of its mode, whoever declared the tool. The requester's word
 * and a standing grant can open this one and no other: a gate that somebody named is theirs.
 */
export const GATE_MODE_APPROVAL = 'GATE_MODE_APPROVAL';

/** The gate before an imported tool whose author wants a person to be asked, whatever its mode. */
export const GATE_TOOL_APPROVAL = 'GATE_TOOL_APPROVAL';

/** Who may decide a gate, whatever else holds: a run's own requester never can. */
export interface Deciders {
  /** A decider has one of these; anybody who is named will do where there are none. */
  readonly roles: readonly string[];
  /** How many different people have to say yes. One no is enough. */
  readonly quorum: number;
  /** Whoever decided another gate of the same call, or changed its arguments, does not decide this one as well. */
  readonly separation: boolean;
}
export const Deciders: z.ZodType<Deciders> = z.strictObject({
  roles: z.array(Name),
  quorum: z.int().positive().max(100),
  separation: z.boolean(),
});
export const ANYBODY_ELSE: Deciders = Object.freeze({ roles: Object.freeze([]), quorum: 1, separation: false });

const YEAR_MS = 365 * 24 * 3_600_000;

/** What a host may settle about the gates of one name. */
export interface GatePolicy extends Deciders {
  /** How long the gate waits, apart from how long its session lasts. */
  readonly ttlMs: number;
}
export const GatePolicy: z.ZodType<Partial<GatePolicy>> = z.strictObject({
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

/** How the approver proved to be a person. A model has none of these, so it cannot approve itself. */
export const CREDENTIAL_KINDS = [
  'signing_key',
  'local_operator',
  'console_session',
  'operator_token',
  'single_sign_on',
] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];
export const CredentialKind: z.ZodType<CredentialKind> = z.enum(CREDENTIAL_KINDS);

/** How it was established who decided. A signature is over `DecisionStatement`, under a key that is kept elsewhere. */
export interface DecisionProof {
  readonly credential: CredentialKind;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  readonly key_id?: string;
  readonly signed_at?: Instant;
  readonly signature?: string;
}
export const DecisionProof: z.ZodType<DecisionProof> = z.strictObject({
  credential: CredentialKind,
  tenant_id: Name,
  roles: z.array(Name),
  key_id: Name.exactOptional(),
  signed_at: Instant.exactOptional(),
  signature: z.string().max(200).exactOptional(),
});

/** A person's answer to exactly the packet they were shown. */
export interface GateDecision {
  readonly gate_id: string;
  readonly packet_hash: Address;
  readonly decision: GateDecisionKind;
  readonly approver: string;
  readonly credential: CredentialKind;
  readonly reason: string;
  readonly decided_at: Instant;
  /** Only for `edit`: the arguments as the person wants them. They make a new packet, which is decided anew. */
  readonly parameters?: JsonObject;
}
export const GateDecision: z.ZodType<GateDecision> = z
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
  .refine(({ decision, parameters }) => (decision === 'edit') === (parameters !== undefined), {
    message: 'an edit, and nothing else, brings parameters',
    path: ['parameters'],
  });

/** A place where the run waits for a person. It has a clock of its own, apart from the session's. */
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
export const Gate: z.ZodType<Gate> = z.strictObject({
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
