import { type DecisionStatement, statementText } from '../model/decision-statement.ts';
import type { SigningCredential } from '../ports/approvers.ts';

/** The person's side: their key over exactly what they decided. `sign` is wherever the private key is. */
export function signDecision(statement: DecisionStatement, sign: (text: string) => string): SigningCredential {
  const { key_id: keyId, signed_at: signedAt } = statement;
  return { kind: 'signing_key', keyId, signedAt, signature: sign(statementText(statement)) };
}
