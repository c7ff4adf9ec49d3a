import { Fault } from '../../model/fault/fault.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { Identity } from '../../model/run/identity.ts';
import type { StartRequest } from '../../model/run/run-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';

/** A tenant's identity, and the journal and clock to check it against. */
export interface Tenancy {
  readonly identity: Identity;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** The same fault for foreign, unowned and unknown ids, so that it does not reveal which ids exist. */
export function noAccess(): Fault {
  return new Fault('permission_denied', 'there is nothing with this id that this identity may access');
}

/** Rejects an expired identity on every call, not only when its runtime was created. */
export function assertCurrent({ identity, clock }: Tenancy): void {
  if (clock.nowMs() >= identity.expires_at) throw new Fault('permission_denied', 'the identity has expired');
}

/** The same request with the tenant's own identity. A request that claims another identity is rejected. */
export function withIdentity({ identity }: Tenancy, request: JsonObject): StartRequest {
  const { user, ...rest } = request;
  const claims = [user, rest['identity']].filter((claim) => claim !== undefined);
  if (!claims.every((claim) => isClaimOf(identity, claim))) throw noAccess();
  return { ...rest, identity } as unknown as StartRequest;
}

/** Returns whether a request claims this identity, in full or by the name and the tenant of its user. */
function isClaimOf(identity: Identity, claim: Json): boolean {
  if (sameJson(claim, identity as unknown as Json)) return true;
  const { actor: name, tenant_id: tenant, roles } = identity;
  return sameJson(claim, { name, tenant }) || sameJson(claim, { name, tenant, roles });
}

/** Copies a request to plain data once, and rejects one for another tenant. */
export function ownInput<T>({ identity }: Tenancy, input: T): T & JsonObject {
  const plain = plainInput(input);
  if (own(plain, 'tenant_id') !== identity.tenant_id) throw noAccess();
  return plain;
}

export function plainInput<T>(input: T): T & JsonObject {
  const plain = takeJson(input);
  if (!isJsonObject(plain)) throw noAccess();
  return plain as T & JsonObject;
}
