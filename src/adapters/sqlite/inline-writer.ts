import type { FaultPoints } from '../../ports/fault-points.ts';
import { commitAppends } from './commit-appends.ts';
import type { ConnectionHolder } from './connection.ts';
import type { GroupWriter, Settle } from './group-queue.ts';
import { intentsIn, type JustIntended } from './just-intended.ts';

/** Writes where the appends are made: nothing else of the process goes on while a group reaches the disk. */
export const inlineWriter =
  (holder: ConnectionHolder, note: JustIntended['note'], faults: FaultPoints | undefined) =>
  (settle: Settle): GroupWriter => ({
    takesAtOnce: () => false,
    isFree: () => true,
    write: (group) => {
      const appends = group.map(({ append }) => append);
      const outcomes = commitAppends(holder, appends, faults);
      const known = holder.current()?.known;
      appends.forEach(({ session, frame, projections }, index) => {
        const isAllNew = outcomes[index] === null && known?.isAllNew(frame) === true;
        note(session, isAllNew ? intentsIn(projections.effects) : []);
      });
      settle(group, outcomes);
    },
    end: async () => undefined,
  });
