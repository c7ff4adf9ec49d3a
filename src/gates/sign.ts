import { type DecisionStatement, type InfoStatement, infoText, statementText } from '../model/decision-statement.ts';
import { type RunStatement, runStatementText } from '../model/run-statement.ts';
import type { SigningCredential } from '../ports/approvers.ts';

/** The person's side: their key over exactly what they decided. `sign` is wherever the private key is. */
export function signDecision(statement: DecisionStatement, sign: (text: string) => string): SigningCredential {
  const { key_id: keyId, signed_at: signedAt } = statement;
  return { kind: 'signing_key', keyId, signedAt, signature: sign(statementText(statement)) };
}

/** The same for what is decided about a run apart from its gates. */
export function signRunDecision(statement: RunStatement, sign: (text: string) => string): SigningCredential {
  const { key_id: keyId, signed_at: signedAt } = statement;
  return { kind: 'signing_key', keyId, signedAt, signature: sign(runStatementText(statement)) };
}

/** The same for what whoever was asked at a gate answers. */
export function signInfo(statement: InfoStatement, sign: (text: string) => string): SigningCredential {
  const { key_id: keyId, signed_at: signedAt } = statement;
  return { kind: 'signing_key', keyId, signedAt, signature: sign(infoText(statement)) };
}
