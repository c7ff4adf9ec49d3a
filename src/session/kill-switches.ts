import { Fault } from '../model/fault.ts';
import { KillScope, type KillSwitch, KillSwitchAct } from '../model/kill-switch.ts';
import { parse } from '../model/parse.ts';
import { liftText } from '../model/run-statement.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
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
}

export function killSwitchDesk({ journal, approvers, clock, ids }: KillSwitchRoom): KillSwitchDesk {
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
      const { switchId, reason } = order;
      const thrown = (await journal.killSwitches()).find(({ switch_id }) => switch_id === switchId);
      if (thrown === undefined) throw switchNotFound(switchId);
      const credential =
        'credential' in order ? order.credential : ({ kind: 'local_operator', name: order.by } as const);
      const { tenant } = thrown.scope;
      const found = await approvers.establish({
        text: (key_id, signed_at) => liftText({ switch_id: switchId, reason, key_id, signed_at }),
        credential: parse(Credential, credential, 'input_invalid'),
        // A switch over every tenant belongs to none of them.
        tenantId: tenant ?? 'every_tenant',
        since: thrown.thrown.at,
      });
      if (!found.ok) throw new Fault(found.code, found.message);
      const { approver, proof } = found;
      if (tenant !== undefined && proof.tenant_id !== tenant) {
        throw new Fault('permission_denied', `${approver} decides for another tenant than ${tenant}`);
      }
      await journal.liftSwitch(switchId, { ...act(approver, reason), proof });
    },
    list: () => journal.killSwitches(),
  };
}
