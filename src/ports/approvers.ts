import { z } from 'zod';
import type { FaultCode } from '../model/fault.ts';
import type { CredentialKind, DecisionProof } from '../model/gate.ts';
import { Instant, Name } from '../model/name.ts';
import type { KeyStore } from './keys.ts';

/** A signature over the decision itself. See `DecisionStatement` for what is signed. */
export interface SigningCredential {
  readonly kind: 'signing_key';
  readonly keyId: string;
  readonly signedAt: number;
  /** Ed25519, in base64. */
  readonly signature: string;
}

/** Whoever runs the process says who decided. It is believed only where no keys are enrolled and nobody else is asked. */
export interface OperatorCredential {
  readonly kind: 'local_operator';
  readonly name: string;
  readonly roles?: readonly string[];
}

/** Something that the host's own authenticator knows what to make of. */
export interface TokenCredential {
  readonly kind: Exclude<CredentialKind, 'signing_key' | 'local_operator'>;
  readonly token: string;
}

export type Credential = SigningCredential | OperatorCredential | TokenCredential;
export const Credential: z.ZodType<Credential> = z.discriminatedUnion('kind', [
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
]);

/** A person, as somebody who can tell has established. */
export interface Person {
  readonly name: string;
  readonly tenantId: string;
  readonly roles: readonly string[];
}

/** The host's own way to tell who somebody is. Null for nobody it knows; whatever it throws is a no. */
export interface Authenticator {
  identify(credential: OperatorCredential | TokenCredential, tenantId: string): Promise<Person | null>;
}

/** What a host says about the people who decide. */
export interface ApproverOptions {
  readonly keys?: KeyStore;
  readonly authenticator?: Authenticator;
  /** The role that lifts a kill switch over every tenant; `operator` where nothing is said. */
  readonly operatorRole?: string;
}

/** Something decided, as it is handed in, before anybody knows by whom. */
export interface PresentedDecision {
  /** What has to be signed, by this key and at this time. */
  readonly text: (keyId: string, signedAt: number) => string;
  readonly credential: Credential;
  readonly tenantId: string;
  /** It cannot have been decided before then. */
  readonly since: number;
}

export type Established =
  | { readonly ok: true; readonly approver: string; readonly proof: DecisionProof }
  | { readonly ok: false; readonly claimedBy: string; readonly code: FaultCode; readonly message: string };

/** Establishes whose decision it is, or why nobody knows. Whether they may decide is the run's own question. */
export interface Approvers {
  establish(presented: PresentedDecision): Promise<Established>;
  /** Whether the key behind a yes of earlier has been revoked since. Nobody can tell for a yes without a key. */
  isRevoked(keyId: string): Promise<boolean>;
}
