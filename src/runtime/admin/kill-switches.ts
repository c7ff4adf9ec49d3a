import { Fault } from '../../model/fault/fault.ts';
import { KillScope, type KillSwitch, KillSwitchAct } from '../../model/gate/kill-switch.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { Name, Statement } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { type Approvers, Credential, type Established } from '../../ports/approvers.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { switchNotFound } from '../../ports/journal/kill-switches.ts';

/** Blocks calls of a tenant, an agent or a tool, at once and in every process on the same store. */
export interface KillSwitches {
  /** Blocks calls in this scope from now on: no intent is recorded, so none is sent. Returns the switch id. */
  throw(order: { readonly scope: KillScope; readonly by: string; readonly reason: string }): Promise<string>;
  /** Lifts a switch. The decider is authenticated as at a gate, or named by the process. */
  lift(order: LiftOrder): Promise<void>;
  /** Every kill switch, active or lifted, with who threw it, who lifted it, and the reasons. */
  list(): Promise<readonly KillSwitch[]>;
}

export type LiftOrder = { readonly switchId: string; readonly reason: string } & (
  | { readonly by: string }
  | { readonly credential: Credential }
);

/** The role that may lift a switch that names no tenant, unless the host names another one. */
export const OPERATOR_ROLE = 'operator';

export interface KillSwitchDeps {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The role required to lift a switch that names no tenant; `OPERATOR_ROLE` by default. */
  readonly operatorRole: string | undefined;
}

export function createKillSwitches({ journal, approvers, clock, ids, operatorRole }: KillSwitchDeps): KillSwitches {
  const role = parse(Name, operatorRole ?? OPERATOR_ROLE, 'input_invalid');
  const act = (by: string, reason: string): KillSwitchAct =>
    parse(KillSwitchAct, { by, reason, at: clock.nowMs() }, 'input_invalid');
  return {
    throw: async ({ scope, by, reason }) => {
      const switch_id = ids.next('switch');
      const stopped = parse(KillScope, scope, 'input_invalid');
      await journal.throwSwitch({ switch_id, scope: stopped, thrown: act(by, reason), lifted: null });
      return switch_id;
    },
    lift: async (order) => {
      const { switchId } = order;
      const reason = parse(Statement, order.reason, 'input_invalid');
      const thrown = (await journal.killSwitches()).find(({ switch_id }) => switch_id === switchId);
      if (thrown === undefined) throw switchNotFound(switchId);
      // A process with access to the store may name one of its operators.
      const credential =
        'credential' in order ? order.credential : ({ kind: 'local_operator', name: order.by, roles: [role] } as const);
      const { tenant } = thrown.scope;
      const found = await approvers.establish({
        text: (key_id, signed_at) => signingText.lift({ switch_id: switchId, reason, key_id, signed_at }),
        credential: parse(Credential, credential, 'input_invalid'),
        // A switch over every tenant belongs to no single tenant.
        tenantId: tenant ?? 'every_tenant',
        since: thrown.thrown.at,
      });
      const ruling = requireAuthority(found, thrown, role);
      if (!ruling.ok) {
        const { claimedBy: claimed_by, code, message } = ruling;
        const refused = { claimed_by, reason, at: clock.nowMs(), code, message };
        await journal.noteRefusedLift(switchId, refused).catch(() => undefined);
        throw new Fault(code, message);
      }
      await journal.liftSwitch(switchId, { ...act(ruling.approver, reason), proof: ruling.proof });
    },
    list: () => journal.killSwitches(),
  };
}

/**
 * Requires a member of the tenant to lift that tenant's switch, and an operator to lift a switch that names no tenant.
 */
function requireAuthority(found: Established, { scope: { tenant } }: KillSwitch, role: string): Established {
  if (!found.ok) return found;
  const { approver, proof } = found;
  if (tenant === undefined ? proof.roles.includes(role) : proof.tenant_id === tenant) return found;
  const message =
    tenant === undefined
      ? `lifting a switch that names no tenant needs the role ${role}, which ${approver} does not have`
      : `${approver} decides for another tenant than ${tenant}`;
  return { ok: false, claimedBy: approver, code: 'permission_denied', message };
}
