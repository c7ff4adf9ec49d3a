import { Fault } from '../../../model/fault.ts';
import type { EffectRow } from '../../../ports/journal-rows.ts';
import type { Group, GroupWriter, Settle } from '../group-queue.ts';
import { intentsIn, type JustIntended } from '../just-intended.ts';
import { type GroupReply, outcomeOf, type ThreadOrders } from './messages.ts';
import { type StartThread, startThread } from './start-thread.ts';
import { unavailable, type WritingWorker, writingWorker } from './writing-worker.ts';

/** So many appends are worth a message of their own. */
const WORTHWHILE = 16;

/** One that is being stored and one that is begun as soon as it is: the thread does not wait to hear of the next. */
const GROUPS_MAX = 2;

/**
 * Has groups stored by a thread of its own, so that whoever decides goes on while others' decisions reach the disk. While
 * one is being stored the next one gathers. The thread is started by the first append, and after its death by the next.
 */
export const threadedWriter =
  (orders: Omit<ThreadOrders, 'progress'>, note: JustIntended['note'], start: StartThread = startThread) =>
  (settle: Settle): GroupWriter => {
    const intents = new WeakMap<Group, readonly (readonly EffectRow[])[]>();
    let worker: WritingWorker | null = null;

    const answered = (group: Group, reply: GroupReply): void => {
      const sent = intents.get(group);
      group.forEach(({ append }, index) => {
        note(append.session, reply[index] === true ? (sent?.[index] ?? []) : []);
      });
      settle(group, reply.map(outcomeOf));
    };
    const started = (): WritingWorker => {
      const progress = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
      const begun = writingWorker(start({ ...orders, progress }), new Int32Array(progress), {
        answered,
        ended: (open, fault) => {
          if (worker === begun) worker = null;
          for (const group of open) {
            for (const { append } of group) note(append.session, []);
            settle(group, allOf(group, fault));
          }
        },
      });
      return begun;
    };
    const write = (group: Group): void => {
      try {
        worker ??= started();
      } catch (cause) {
        settle(group, allOf(group, unavailable(cause)));
        return;
      }
      try {
        worker.write(group);
        // As they were sent: whoever appended them still holds the rows.
        intents.set(
          group,
          group.map(({ append }) => intentsIn(append.projections.effects)),
        );
      } catch (cause) {
        if (group.length > 1) for (const one of group) write([one]);
        else settle(group, [new Fault('input_invalid', 'the append holds something else than data', { cause })]);
      }
    };
    return {
      takesAtOnce: (count) => count >= WORTHWHILE && (worker === null || worker.behind() < GROUPS_MAX),
      isFree: () => worker === null || worker.behind() === 0,
      write,
      end: async () => worker?.end(),
    };
  };

const allOf = (group: Group, fault: Fault): readonly Fault[] => group.map(() => fault);
