import { Fault } from '../model/fault.ts';
import { KillScope, type KillSwitch, KillSwitchAct } from '../model/kill-switch.ts';
import { Name, Statement } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { liftText } from '../model/run-statement.ts';
import { type Approvers, Credential, type Established } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Journal } from '../ports/journal.ts';
import { switchNotFound } from '../ports/kill-switches.ts';

/** Stops calls that change something, at once and in every process on the same store. */
export interface KillSwitchDesk {
  /** From here on no intent that fits is written, and so none of its calls is made. Answers with the id. */
  throw(order: { readonly scope: KillScope; readonly by: string; readonly reason: string }): Promise<string>;
  /** Lets what was stopped be done again, which is a decision: established as that of a gate, or vouched for by name. */
  lift(order: LiftOrder): Promise<void>;
  /** All that were ever thrown, with who did it, who lifted them, and why. */
  list(): Promise<readonly KillSwitch[]>;
}

export type LiftOrder = { readonly switchId: string; readonly reason: string } & (
  | { readonly by: string }
  | { readonly credential: Credential }
);

export interface KillSwitchRoom {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whoever lifts a switch that names no tenant has this role; `operator` where nothing is said. */
  readonly operatorRole: string | undefined;
}

export function killSwitchDesk({ journal, approvers, clock, ids, operatorRole }: KillSwitchRoom): KillSwitchDesk {
  const role = parse(Name, operatorRole ?? 'operator', 'input_invalid');
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
      const said = parse(Statement, order.reason, 'input_invalid');
      const thrown = (await journal.killSwitches()).find(({ switch_id }) => switch_id === switchId);
      if (thrown === undefined) throw switchNotFound(switchId);
      // The process that has the store vouches for a name as that of one of its operators.
      const credential =
        'credential' in order ? order.credential : ({ kind: 'local_operator', name: order.by, roles: [role] } as const);
      const { tenant } = thrown.scope;
      const found = await approvers.establish({
        text: (key_id, signed_at) => liftText({ switch_id: switchId, reason: said, key_id, signed_at }),
        credential: parse(Credential, credential, 'input_invalid'),
        // A switch over every tenant belongs to none of them.
        tenantId: tenant ?? 'every_tenant',
        since: thrown.thrown.at,
      });
      const ruling = admitted(found, thrown, role);
      if (!ruling.ok) {
        const { claimedBy: claimed_by, code, message } = ruling;
        const refused = { claimed_by, reason: said, at: clock.nowMs(), code, message };
        await journal.noteRefusedLift(switchId, refused).catch(() => undefined);
        throw new Fault(code, message);
      }
      await journal.liftSwitch(switchId, { ...act(ruling.approver, said), proof: ruling.proof });
    },
    list: () => journal.killSwitches(),
  };
}

/** A tenant's own switch is lifted by its people, and one that names no tenant by an operator. */
function admitted(found: Established, { scope: { tenant } }: KillSwitch, role: string): Established {
  if (!found.ok) return found;
  const { approver, proof } = found;
  if (tenant === undefined ? proof.roles.includes(role) : proof.tenant_id === tenant) return found;
  const message =
    tenant === undefined
      ? `a switch that names no tenant is lifted by somebody with the role ${role}, which ${approver} has not`
      : `${approver} decides for another tenant than ${tenant}`;
  return { ok: false, claimedBy: approver, code: 'permission_denied', message };
}
