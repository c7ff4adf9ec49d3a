import { decidersOf, type KernelEnv, whyNotAdmitted } from '../../kernel/index.ts';
import { isGrantable } from '../../model/evidence/origin.ts';
import { Fault } from '../../model/fault/fault.ts';
import { GATE_MODE_APPROVAL } from '../../model/gate/gate.ts';
import { type GrantTerms, grantRefusal, type RefusedGrant, StandingGrant } from '../../model/gate/grant.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { parse, parseNamed } from '../../model/json/parse.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StandingGrants } from '../../ports/journal/standing-grants.ts';

export interface GrantDeps {
  readonly store: StandingGrants;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly env: KernelEnv;
  readonly agent: AgentSpec;
}

/** A placeholder for the approver, so that the terms can be validated before the approver is authenticated. */
const PLACEHOLDER = {
  kind: 'standing',
  approver: 'nobody_yet',
  granted_at: 0,
  proof: { credential: 'local_operator', tenant_id: 'nobody_yet', roles: [] },
} as const;

/** Stores a standing grant. Destructive tools and grants without an expiry are rejected. */
export async function giveGrant(deps: GrantDeps, terms: GrantTerms, credential: Credential): Promise<StandingGrant> {
  parseNamed('the grant', StandingGrant, { ...terms, ...PLACEHOLDER }, 'input_invalid');
  const spec = deps.env.tools.get(terms.tool);
  if (spec === undefined) throw new Fault('tool_not_allowed', `there is no tool ${terms.tool}`, { path: '/tool' });
  if (!isGrantable(spec.approval_mode) || spec.unwrap !== undefined) {
    const message = `${terms.tool} is ${spec.approval_mode}: standing grants are only for network and delegated tools that call no other tool`;
    throw new Fault('grant_not_allowed', message, { path: '/tool' });
  }
  const now = deps.clock.nowMs();
  const { tenant_id, grant_id } = terms;
  const about = { tenant_id, grant_id, act: 'give' } as const;
  const { approver, proof } = await authenticate(deps, credential, about, (key_id, signed_at) =>
    signingText.grant({ ...terms, key_id, signed_at }),
  );
  const why = whyNot(deps, approver, proof);
  if (why !== null) throw await recordRefusal(deps, about, approver, new Fault('permission_denied', why));
  const grant = parse(StandingGrant, { kind: 'standing', ...terms, approver, granted_at: now, proof }, 'input_invalid');
  if (grant.expires_at <= now) throw new Fault('input_invalid', 'expires_at is in the past', { path: '/expires_at' });
  await deps.store.giveGrant(grant);
  return grant;
}

/**
 * Explains why this person could not approve the gate that the grant replaces, or returns null. The requester and the
 * risk of a run are known only when the grant is used; the check runs again then.
 */
function whyNot(
  { env, agent }: GrantDeps,
  approver: string,
  { roles, tenant_id }: StandingGrant['proof'],
): string | null {
  const why = grantRefusal(decidersOf(env, GATE_MODE_APPROVAL), roles);
  if (why !== null) return `${why}, so ${approver} cannot permit it in advance`;
  return whyNotAdmitted(env, () => ({
    action: 'decide_gate',
    principal: { agent: agent.name, user: approver, roles, tenant: tenant_id },
    resource: { name: GATE_MODE_APPROVAL, kind: 'action', requester: PLACEHOLDER.approver },
    context: { environment: agent.autonomy.environment, risk: 'low' },
  }));
}

export async function revokeGrant(
  deps: GrantDeps,
  grantId: string,
  reason: string,
  credential: Credential,
): Promise<void> {
  const row = (await deps.store.standingGrants()).find(({ grant }) => grant.grant_id === grantId);
  if (row === undefined) throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
  const about = { tenant_id: row.grant.tenant_id, grant_id: grantId, act: 'revoke' } as const;
  const { approver } = await authenticate(deps, credential, about, (key_id, signed_at) =>
    signingText.revocation({ grant_id: grantId, reason, key_id, signed_at }),
  );
  await deps.store.revokeGrant(grantId, { at: deps.clock.nowMs(), by: approver, reason });
}

type About = Pick<RefusedGrant, 'tenant_id' | 'grant_id' | 'act'>;

async function authenticate(
  deps: GrantDeps,
  credential: Credential,
  about: About,
  text: (keyId: string, signedAt: number) => string,
): Promise<{ readonly approver: string; readonly proof: StandingGrant['proof'] }> {
  const { tenant_id: tenantId } = about;
  const found = await deps.approvers.establish({
    text,
    credential: parse(Credential, credential, 'input_invalid'),
    tenantId,
    since: 0,
  });
  if (!found.ok) throw await recordRefusal(deps, about, found.claimedBy, new Fault(found.code, found.message));
  if (found.proof.tenant_id !== tenantId) {
    const message = `${found.approver} decides for another tenant than ${tenantId}`;
    throw await recordRefusal(deps, about, found.approver, new Fault('permission_denied', message));
  }
  return found;
}

/** Records the refusal. A store that fails to record it does not change the refusal. */
async function recordRefusal(
  { store, clock }: GrantDeps,
  about: About,
  claimed_by: string,
  fault: Fault,
): Promise<Fault> {
  const { code, message } = fault;
  await store.noteRefusedGrant({ ...about, claimed_by, code, message, at: clock.nowMs() }).catch(() => undefined);
  return fault;
}
