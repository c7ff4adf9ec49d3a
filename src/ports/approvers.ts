import { z } from 'zod';
import type { FaultCode } from '../model/fault/fault.ts';
import type { CredentialKind, DecisionProof } from '../model/gate/gate.ts';
import { exact } from '../model/json/exact.ts';
import { Instant, Name } from '../model/json/name.ts';
import type { KeyStore } from './keys.ts';

/** A signature over the decision itself. `DecisionStatement` describes the signed text. */
export interface SigningCredential {
  readonly kind: 'signing_key';
  readonly keyId: string;
  readonly signedAt: number;
  /** Ed25519, in base64. */
  readonly signature: string;
}

/** A decider named by the operator of the process. Accepted only without enrolled keys and an authenticator. */
export interface OperatorCredential {
  readonly kind: 'local_operator';
  readonly name: string;
  readonly roles?: readonly string[];
}

/** A token that only the host's own authenticator can interpret. */
export interface TokenCredential {
  readonly kind: Exclude<CredentialKind, 'signing_key' | 'local_operator'>;
  readonly token: string;
}

export type Credential = SigningCredential | OperatorCredential | TokenCredential;
export const Credential: z.ZodType<Credential> = exact(
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('signing_key'),
      keyId: Name,
      signedAt: Instant,
      signature: z.string().max(200),
    }),
    z.strictObject({
      kind: z.literal('local_operator'),
      name: z.string(),
      roles: z.array(Name).exactOptional(),
    }),
    z.strictObject({
      kind: z.enum(['console_session', 'operator_token', 'single_sign_on']),
      token: z.string(),
    }),
  ]),
);

export interface Person {
  readonly name: string;
  readonly tenantId: string;
  readonly roles: readonly string[];
}

/** The host's own authentication. Promises null for an unknown credential; an error or anything but a person counts as null. */
export interface Authenticator {
  identify(credential: OperatorCredential | TokenCredential, tenantId: string): Promise<Person | null>;
}

export interface ApproverOptions {
  readonly keys?: KeyStore;
  readonly authenticator?: Authenticator;
  /** The role that may fork a run for real, and lift a kill switch that covers every tenant. Default: `operator`. */
  readonly operatorRole?: string;
}

/** A submitted decision whose author is not yet established. */
export interface PresentedDecision {
  /** Returns the text to be signed with this key at this time. */
  readonly text: (keyId: string, signedAt: number) => string;
  readonly credential: Credential;
  readonly tenantId: string;
  /** The earliest time at which it can have been decided. */
  readonly since: number;
}

export type Established =
  | { readonly ok: true; readonly approver: string; readonly proof: DecisionProof }
  | { readonly ok: false; readonly claimedBy: string; readonly code: FaultCode; readonly message: string };

/** Establishes who made a decision, or why that is unknown. The run itself checks whether that person may decide. */
export interface Approvers {
  establish(presented: PresentedDecision): Promise<Established>;
  /** Returns whether the key behind an earlier approval has been revoked since, or is no longer enrolled. */
  isRevoked(keyId: string): Promise<boolean>;
}
