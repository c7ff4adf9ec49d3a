import { canonicalize } from '../json/canonical.ts';
import type { Json } from '../json/json.ts';
import type { DecisionStatement, InfoStatement } from './decision-statement.ts';
import type { ForkStatement } from './fork-statement.ts';
import type { GrantStatement, RevocationStatement } from './grant.ts';
import type { EvidenceStatement, LiftStatement, RunStatement } from './run-statement.ts';
import type { ErasureStatement, SealedReadStatement } from './vault-statement.ts';

/** Every kind of statement that a person can sign, by the name of its entry in `signingText`. */
export interface SignedStatements {
  readonly decision: DecisionStatement;
  readonly info: InfoStatement;
  readonly runDecision: RunStatement;
  readonly evidence: EvidenceStatement;
  readonly lift: LiftStatement;
  readonly fork: ForkStatement;
  readonly grant: GrantStatement;
  readonly revocation: RevocationStatement;
  readonly erasure: ErasureStatement;
  readonly look: SealedReadStatement;
}

/** One function for each kind of statement; it returns the text to sign. */
export type SigningTexts = {
  readonly [Kind in keyof SignedStatements]: (statement: SignedStatements[Kind]) => string;
};

/** The first line names the kind, so that a signature over one kind of statement is not valid for another. */
const headed =
  (kind: string) =>
  (statement: SignedStatements[keyof SignedStatements]): string =>
    `${kind}\n${canonicalize(statement as unknown as Json)}`;

/**
 * The exact text that a key signs, for each kind of statement: a first line such as `ambit.gate-decision.v1`, then the
 * statement as canonical JSON.
 */
export const signingText: SigningTexts = Object.freeze({
  decision: headed('ambit.gate-decision.v1'),
  info: headed('ambit.gate-info.v1'),
  runDecision: headed('ambit.run-decision.v1'),
  evidence: headed('ambit.evidence-read.v1'),
  lift: headed('ambit.kill-switch-lift.v1'),
  fork: headed('ambit.fork.v1'),
  grant: headed('ambit.standing-grant.v1'),
  revocation: headed('ambit.grant-revocation.v1'),
  erasure: headed('ambit.erasure.v1'),
  look: headed('ambit.look.v1'),
});
