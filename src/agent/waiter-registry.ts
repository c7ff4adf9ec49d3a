import { Fault } from '../model/fault/fault.ts';

/** A role that waits until another role writes a key. */
export interface Waiter {
  readonly board: string;
  readonly role: string;
  /** The role that writes the key, or null if every role may write it. */
  readonly owner: string | null;
  /** The board and the key that the role waits for. */
  readonly name: string;
}

interface Waiting extends Waiter {
  readonly wake: () => void;
  readonly stall: (fault: Fault) => void;
}

/** Tracks which roles wait for each other. A cycle never resolves, so every role in it fails as soon as it forms. */
export interface WaiterRegistry {
  wait(waiter: Waiter, signal: AbortSignal): Promise<void>;
  notifyChanged(name: string): void;
}

export function createWaiterRegistry(): WaiterRegistry {
  const waiting = new Set<Waiting>();
  /** Returns the cycle that starts at a waiting role; empty if there is none. */
  const findCycle = (first: Waiting): readonly Waiting[] => {
    const cycle = [first];
    for (let last = first; ; ) {
      const next = [...waiting].find(({ board, role }) => board === first.board && role === last.owner);
      if (next === undefined) return [];
      if (next.role === first.role) return cycle;
      if (cycle.includes(next)) return [];
      cycle.push(next);
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
        const cycle = findCycle(entry);
        if (cycle.length === 0) return;
        const path = [...cycle.map(({ role }) => role), waiter.role].join(' → ');
        for (const each of cycle) each.stall(new Fault('coordination_stall', `${path}: each waits for the next`));
      }),
    notifyChanged: (name) => {
      for (const each of [...waiting]) if (each.name === name) each.wake();
    },
  };
}
