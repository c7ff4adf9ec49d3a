import { KillScope, type KillSwitch, KillSwitchAct } from '../model/kill-switch.ts';
import { parse } from '../model/parse.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Journal } from '../ports/journal.ts';

/** Stops calls that change something, at once and in every process on the same store. */
export interface KillSwitchDesk {
  /** From here on no intent that fits is written, and so none of its calls is made. Answers with the id. */
  throw(order: { readonly scope: KillScope; readonly by: string; readonly reason: string }): Promise<string>;
  lift(order: { readonly switchId: string; readonly by: string; readonly reason: string }): Promise<void>;
  /** All that were ever thrown, with who did it, who lifted them, and why. */
  list(): Promise<readonly KillSwitch[]>;
}

export function killSwitchDesk(journal: Journal, clock: Clock, ids: Ids): KillSwitchDesk {
  const act = (by: string, reason: string): KillSwitchAct =>
    parse(KillSwitchAct, { by, reason, at: clock.nowMs() }, 'input_invalid');
  return {
    throw: async ({ scope, by, reason }) => {
      const switch_id = ids.next('switch');
      const stopped = parse(KillScope, scope, 'input_invalid');
      await journal.throwSwitch({ switch_id, scope: stopped, thrown: act(by, reason), lifted: null });
      return switch_id;
    },
    lift: ({ switchId, by, reason }) => journal.liftSwitch(switchId, act(by, reason)),
    list: () => journal.killSwitches(),
  };
}
