import type { KernelEnv } from '../kernel/env.ts';
import { whyNotAdmitted } from '../kernel/gate-decision-policy.ts';
import { decidersOf } from '../kernel/gate-policy.ts';
import type { AgentSpec } from '../model/agent.ts';
import { Fault } from '../model/fault.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import {
  type GrantTerms,
  grantText,
  type RefusedGrant,
  revocationText,
  StandingGrant,
  whyNotGiver,
} from '../model/grant.ts';
import { isGrantable } from '../model/origin.ts';
import { parse, parseNamed } from '../model/parse.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { StandingGrants } from '../ports/standing-grants.ts';

export interface GrantDesk {
  readonly store: StandingGrants;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly env: KernelEnv;
  readonly agent: AgentSpec;
}

/** Stands where the giver will, so that the terms can be read before anybody is asked who gives them. */
const NOBODY_YET = {
  kind: 'standing',
  approver: 'nobody_yet',
  granted_at: 0,
  proof: { credential: 'local_operator', tenant_id: 'nobody_yet', roles: [] },
} as const;

/** Writes down what a person permits in advance. Nothing that destroys, and nothing without an end. */
export async function giveGrant(desk: GrantDesk, terms: GrantTerms, credential: Credential): Promise<StandingGrant> {
  parseNamed('the grant', StandingGrant, { ...terms, ...NOBODY_YET }, 'input_invalid');
  const spec = desk.env.tools.get(terms.tool);
  if (spec === undefined) throw new Fault('tool_not_allowed', `there is no tool ${terms.tool}`, { path: '/tool' });
  if (!isGrantable(spec.approval_mode) || spec.unwrap !== undefined) {
    const message = `${terms.tool} is ${spec.approval_mode}: a standing grant is for network and delegated tools that call nothing else`;
    throw new Fault('grant_not_allowed', message, { path: '/tool' });
  }
  const now = desk.clock.nowMs();
  const { tenant_id, grant_id } = terms;
  const about = { tenant_id, grant_id, act: 'give' } as const;
  const { approver, proof } = await established(desk, credential, about, (key_id, signed_at) =>
    grantText({ ...terms, key_id, signed_at }),
  );
  const why = whyNot(desk, approver, proof);
  if (why !== null) throw await refusing(desk, about, approver, new Fault('permission_denied', why));
  const grant = parse(StandingGrant, { kind: 'standing', ...terms, approver, granted_at: now, proof }, 'input_invalid');
  if (grant.expires_at <= now)
    throw new Fault('input_invalid', 'the grant has expired already', { path: '/expires_at' });
  await desk.store.giveGrant(grant);
  return grant;
}

/**
 * Why this person could not open the gate that the grant stands for, or null. For whom a run acts and at what risk is
 * known only when the grant is used; then all of this is asked again.
 */
function whyNot(
  { env, agent }: GrantDesk,
  approver: string,
  { roles, tenant_id }: StandingGrant['proof'],
): string | null {
  const why = whyNotGiver(decidersOf(env, GATE_MODE_APPROVAL), roles);
  if (why !== null) return `${why}, so ${approver} cannot permit it in advance`;
  return whyNotAdmitted(env, () => ({
    action: 'decide_gate',
    principal: { agent: agent.name, user: approver, roles, tenant: tenant_id },
    resource: { name: GATE_MODE_APPROVAL, kind: 'action', requester: NOBODY_YET.approver },
    context: { environment: agent.autonomy.environment, risk: 'low' },
  }));
}

export async function revokeGrant(
  desk: GrantDesk,
  grantId: string,
  reason: string,
  credential: Credential,
): Promise<void> {
  const row = (await desk.store.standingGrants()).find(({ grant }) => grant.grant_id === grantId);
  if (row === undefined) throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
  const about = { tenant_id: row.grant.tenant_id, grant_id: grantId, act: 'revoke' } as const;
  const { approver } = await established(desk, credential, about, (key_id, signed_at) =>
    revocationText({ grant_id: grantId, reason, key_id, signed_at }),
  );
  await desk.store.revokeGrant(grantId, { at: desk.clock.nowMs(), by: approver, reason });
}

type About = Pick<RefusedGrant, 'tenant_id' | 'grant_id' | 'act'>;

async function established(
  desk: GrantDesk,
  credential: Credential,
  about: About,
  text: (keyId: string, signedAt: number) => string,
): Promise<{ readonly approver: string; readonly proof: StandingGrant['proof'] }> {
  const { tenant_id: tenantId } = about;
  const found = await desk.approvers.establish({
    text,
    credential: parse(Credential, credential, 'input_invalid'),
    tenantId,
    since: 0,
  });
  if (!found.ok) throw await refusing(desk, about, found.claimedBy, new Fault(found.code, found.message));
  if (found.proof.tenant_id !== tenantId) {
    const message = `${found.approver} decides for another tenant than ${tenantId}`;
    throw await refusing(desk, about, found.approver, new Fault('permission_denied', message));
  }
  return found;
}

/** Puts on record who could not. A store that cannot take it down changes nothing about the refusal. */
async function refusing({ store, clock }: GrantDesk, about: About, claimed_by: string, fault: Fault): Promise<Fault> {
  const { code, message } = fault;
  await store.noteRefusedGrant({ ...about, claimed_by, code, message, at: clock.nowMs() }).catch(() => undefined);
  return fault;
}
