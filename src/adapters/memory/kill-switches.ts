import { withRefusedLift } from '../../model/kill-switch.ts';
import { type KillSwitches, switchNotFound } from '../../ports/kill-switches.ts';
import type { MemoryDisk } from './disk.ts';

export function memoryKillSwitches(open: () => MemoryDisk): KillSwitches {
  return {
    throwSwitch: async (thrown) => {
      open().killSwitches.set(thrown.switch_id, Object.freeze({ ...thrown }));
    },
    liftSwitch: async (switchId, lifted) => {
      const { killSwitches } = open();
      const row = killSwitches.get(switchId);
      if (row === undefined) throw switchNotFound(switchId);
      if (row.lifted === null) killSwitches.set(switchId, Object.freeze({ ...row, lifted }));
    },
    noteRefusedLift: async (switchId, refused) => {
      const { killSwitches } = open();
      const row = killSwitches.get(switchId);
      if (row === undefined) throw switchNotFound(switchId);
      killSwitches.set(switchId, Object.freeze(withRefusedLift(row, refused)));
    },
    killSwitches: async () => [...open().killSwitches.values()],
  };
}
