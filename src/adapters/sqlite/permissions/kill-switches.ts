import { type KillSwitch, REFUSED_LIFTS_MAX } from '../../../model/gate/kill-switch.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import {
  intendedBy,
  isStopping,
  type KillSwitchStore,
  killSwitchOn,
  switchNotFound,
} from '../../../ports/journal/kill-switches.ts';
import type { PermissionLog } from './permission-chain.ts';

/** Runs inside the append's transaction, so that no switch can be thrown between the check and the write. */
export function refuseIfKilled(thrown: () => readonly KillSwitch[], { projections }: Append): void {
  const intended = intendedBy(projections);
  if (intended.length === 0) return;
  const found = thrown().find((each) => intended.some((call) => isStopping(each, call)));
  if (found !== undefined) throw killSwitchOn(found);
}

export const thrownSwitches = (log: PermissionLog): readonly KillSwitch[] =>
  [...log.current().switches.values()].filter(({ lifted }) => lifted === null);

/** `ask` runs a query or an update on the permission records and converts its errors. */
export function sqliteKillSwitches(ask: <T>(doing: string, run: (log: PermissionLog) => T) => T): KillSwitchStore {
  const find = (log: PermissionLog, switchId: string): KillSwitch => {
    const found = log.current().switches.get(switchId);
    if (found === undefined) throw switchNotFound(switchId);
    return found;
  };
  return {
    throwSwitch: async ({ ...thrown }) =>
      ask('a kill switch', (log) => log.change(() => log.append({ kind: 'switch_thrown', thrown }))),
    liftSwitch: async (switchId, lifted) =>
      ask('a kill switch', (log) =>
        log.change(() => {
          if (find(log, switchId).lifted === null) log.append({ kind: 'switch_lifted', switch_id: switchId, lifted });
        }),
      ),
    noteRefusedLift: async (switchId, refused) =>
      ask('a kill switch', (log) =>
        log.change(() => {
          const noted = find(log, switchId).refused?.length ?? 0;
          if (noted < REFUSED_LIFTS_MAX) log.append({ kind: 'lift_refused', switch_id: switchId, refused });
        }),
      ),
    killSwitches: async () => ask('the kill switches', (log) => [...log.current().switches.values()]),
  };
}
