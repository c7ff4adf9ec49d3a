import type { SecurityToken } from '../model/identity.ts';
import type { PolicyPrincipal } from '../model/policy-request.ts';

const PRINCIPALS = new WeakMap<SecurityToken, PolicyPrincipal>();

/** Frozen, and made once for each token: nobody acts under two names with one. */
export function principalOf(agent: string, token: SecurityToken): PolicyPrincipal {
  const known = PRINCIPALS.get(token);
  if (known?.agent === agent) return known;
  const { actor: user, tenant_id: tenant } = token;
  const roles = Object.freeze([...token.roles]);
  const principal = shared(Object.freeze({ agent, user, roles, tenant }));
  PRINCIPALS.set(token, principal);
  return principal;
}

/** So many are kept to be shared, and of no more than so many characters: who acts comes from outside. */
const SHARED_MAX = 500;
const TEXT_MAX = 1_000;
const SHARED = new Map<string, PolicyPrincipal>();

/** One for all runs of the same identity: whoever remembers something of it finds it again in the next run. */
function shared(principal: PolicyPrincipal): PolicyPrincipal {
  const text = JSON.stringify(principal);
  if (text.length > TEXT_MAX) return principal;
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  if (SHARED.size >= SHARED_MAX) SHARED.clear();
  SHARED.set(text, principal);
  return principal;
}
