import { Fault } from '../../model/fault.ts';

/** Somebody who waits for what somebody else is to write. */
export interface Waiter {
  readonly board: string;
  readonly role: string;
  /** Who writes what is waited for; null where anybody may, so that nobody in particular is waited for. */
  readonly owner: string | null;
  /** What is waited for. */
  readonly name: string;
}

interface Waiting extends Waiter {
  readonly wake: () => void;
  readonly stall: (fault: Fault) => void;
}

/** Who waits for whom. A circle never resolves, so whoever closes one is told at once, and so is everybody in it. */
export interface WaitingRoom {
  wait(waiter: Waiter, signal: AbortSignal): Promise<void>;
  changed(name: string): void;
}

export function waitingRoom(): WaitingRoom {
  const waiting = new Set<Waiting>();
  /** Those on the way from a role back to itself; none where it does not lead back. */
  const circleFrom = (first: Waiting): readonly Waiting[] => {
    const circle = [first];
    for (let last = first; ; ) {
      const next = [...waiting].find(({ board, role }) => board === first.board && role === last.owner);
      if (next === undefined) return [];
      if (next.role === first.role) return circle;
      if (circle.includes(next)) return [];
      circle.push(next);
      last = next;
    }
  };
  return {
    wait: (waiter, signal) =>
      new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(entry);
          signal.removeEventListener('abort', abandoned);
        };
        const abandoned = (): void => {
          leave();
          reject(new Fault('step_timeout', `${waiter.role} waited for ${waiter.name} in vain`));
        };
        const entry: Waiting = {
          ...waiter,
          wake: () => {
            leave();
            resolve();
          },
          stall: (fault) => {
            leave();
            reject(fault);
          },
        };
        if (signal.aborted) return abandoned();
        waiting.add(entry);
        signal.addEventListener('abort', abandoned, { once: true });
        const circle = circleFrom(entry);
        if (circle.length === 0) return;
        const way = [...circle.map(({ role }) => role), waiter.role].join(' → ');
        for (const each of circle) each.stall(new Fault('coordination_stall', `${way}: each waits for the next`));
      }),
    changed: (name) => {
      for (const each of [...waiting]) if (each.name === name) each.wake();
    },
  };
}
