import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { SigningKey, samePerson } from '../../model/gate/signing-key.ts';
import {
  type DecisionStatement,
  type InfoStatement,
  type RunStatement,
  signingText,
} from '../../model/gate/signing-text.ts';
import { parse } from '../../model/json/parse.ts';
import type { SigningCredential } from '../../ports/approvers.ts';
import type { KeyStore } from '../../ports/keys.ts';

export type NewKey = Omit<SigningKey, 'revoked'>;

/** Enrols a signing key. A person cannot enrol their own key. */
export const enrolKey: (keys: KeyStore, newKey: NewKey) => Promise<SigningKey> = guardInput(
  'enrolKey',
  async (keys: KeyStore, newKey: NewKey): Promise<SigningKey> => {
    const key = parse(SigningKey, { ...newKey, revoked: null }, 'input_invalid');
    if (samePerson(key.enrolled_by, key.approver)) {
      throw new Fault('permission_denied', `${key.approver} cannot enrol their own key: another person must do it`, {
        path: '/enrolled_by',
      });
    }
    const taken = (await keys.list({ tenantId: key.tenant_id })).find(
      ({ approver }) => approver !== key.approver && samePerson(approver, key.approver),
    );
    if (taken !== undefined) {
      throw new Fault('input_invalid', `${key.approver} is already enrolled as ${taken.approver}: use that name`, {
        path: '/approver',
      });
    }
    await keys.add(key);
    return key;
  },
);

/** Replaces a key. The old one is revoked last, so that one valid key exists at every moment. */
export const rotateKey: (keys: KeyStore, oldKeyId: string, newKey: NewKey) => Promise<SigningKey> = guardInput(
  'rotateKey',
  async (keys: KeyStore, oldKeyId: string, newKey: NewKey): Promise<SigningKey> => {
    const old = await keys.find(oldKeyId);
    if (old === null) throw new Fault('key_not_found', `there is no key ${oldKeyId}`);
    if (old.approver !== newKey.approver || old.tenant_id !== newKey.tenant_id) {
      throw new Fault(
        'input_invalid',
        `key ${oldKeyId} belongs to ${old.approver} of ${old.tenant_id}: a rotation must keep the approver and the tenant`,
      );
    }
    const key = await enrolKey(keys, newKey);
    await keys.revoke(oldKeyId, { at: newKey.enrolled_at, by: newKey.enrolled_by, reason: `rotated to ${key.key_id}` });
    return key;
  },
);

/** Signs a gate decision on the approver's side. `sign` holds the private key. */
export const signDecision: (statement: DecisionStatement, sign: (text: string) => string) => SigningCredential =
  guardInput('signDecision', (statement: DecisionStatement, sign: (text: string) => string): SigningCredential => {
    const { key_id: keyId, signed_at: signedAt } = statement;
    return { kind: 'signing_key', keyId, signedAt, signature: sign(signingText.decision(statement)) };
  });

/** Signs a decision about a run. */
export const signRunDecision: (statement: RunStatement, sign: (text: string) => string) => SigningCredential =
  guardInput('signRunDecision', (statement: RunStatement, sign: (text: string) => string): SigningCredential => {
    const { key_id: keyId, signed_at: signedAt } = statement;
    return { kind: 'signing_key', keyId, signedAt, signature: sign(signingText.runDecision(statement)) };
  });

/** Signs an answer to a request for information. */
export const signInfo: (statement: InfoStatement, sign: (text: string) => string) => SigningCredential = guardInput(
  'signInfo',
  (statement: InfoStatement, sign: (text: string) => string): SigningCredential => {
    const { key_id: keyId, signed_at: signedAt } = statement;
    return { kind: 'signing_key', keyId, signedAt, signature: sign(signingText.info(statement)) };
  },
);
