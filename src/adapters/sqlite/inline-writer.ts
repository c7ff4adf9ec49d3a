import type { FaultPoints } from '../../ports/fault-points.ts';
import { commitAppends } from './commit-appends.ts';
import type { ConnectionHolder } from './connection.ts';
import type { GroupWriter, Settle } from './group-queue.ts';

/** Writes where the appends are made: nothing else of the process goes on while a group reaches the disk. */
export const inlineWriter =
  (holder: ConnectionHolder, faults: FaultPoints | undefined) =>
  (settle: Settle): GroupWriter => ({
    worthwhile: Number.POSITIVE_INFINITY,
    isFree: () => true,
    write: (group) => {
      const appends = group.map(({ append }) => append);
      settle(group, commitAppends(holder, appends, faults));
    },
    end: async () => undefined,
  });
