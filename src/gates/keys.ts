import { Fault } from '../model/fault.ts';
import { parse } from '../model/parse.ts';
import { samePerson } from '../model/same-person.ts';
import { SigningKey } from '../model/signing-key.ts';
import type { KeyStore } from '../ports/keys.ts';

export type NewKey = Omit<SigningKey, 'revoked'>;

/** Makes a person's decisions believable. Nobody enrols a key for themselves. */
export async function enrolKey(keys: KeyStore, given: NewKey): Promise<SigningKey> {
  const key = parse(SigningKey, { ...given, revoked: null }, 'input_invalid');
  if (samePerson(key.enrolled_by, key.approver)) {
    throw new Fault('permission_denied', `somebody else than ${key.approver} has to enrol this key`, {
      path: '/enrolled_by',
    });
  }
  const taken = (await keys.list({ tenantId: key.tenant_id })).find(
    ({ approver }) => approver !== key.approver && samePerson(approver, key.approver),
  );
  if (taken !== undefined) {
    throw new Fault('input_invalid', `${key.approver} is enrolled as ${taken.approver}: one person has one name`, {
      path: '/approver',
    });
  }
  await keys.add(key);
  return key;
}

/** Puts a new key in the place of an old one. The old one is revoked last: for a moment both are good, never neither. */
export async function rotateKey(keys: KeyStore, oldKeyId: string, given: NewKey): Promise<SigningKey> {
  const old = await keys.find(oldKeyId);
  if (old === null) throw new Fault('key_not_found', `there is no key ${oldKeyId}`);
  if (old.approver !== given.approver || old.tenant_id !== given.tenant_id) {
    throw new Fault('input_invalid', `key ${oldKeyId} belongs to ${old.approver}, and a rotation changes only the key`);
  }
  const key = await enrolKey(keys, given);
  await keys.revoke(oldKeyId, { at: given.enrolled_at, by: given.enrolled_by, reason: `rotated to ${key.key_id}` });
  return key;
}
