/** Concurrency limits by name. Calls beyond the limit wait in order. */
export interface Slots {
  /** Resolves with a function that releases the slot, or with null if the signal aborts first. */
  enter(name: string, most: number, signal: AbortSignal): Promise<ReleaseSlot | null>;
}

export type ReleaseSlot = () => void;

export function createSlots(): Slots {
  const queues = new Map<string, Queue>();
  return {
    enter: (name, most, signal) => {
      const queue = queues.get(name) ?? { active: 0, waiting: [] };
      queues.set(name, queue);
      const leave = once(() => {
        queue.active -= 1;
        queue.waiting.shift()?.();
        if (queue.active === 0 && queue.waiting.length === 0) queues.delete(name);
      });
      if (signal.aborted) return Promise.resolve(null);
      if (queue.active < most) {
        queue.active += 1;
        return Promise.resolve(leave);
      }
      return waitIn(queue, signal, leave);
    },
  };
}

interface Queue {
  active: number;
  readonly waiting: (() => void)[];
}

function waitIn(queue: Queue, signal: AbortSignal, leave: ReleaseSlot): Promise<ReleaseSlot | null> {
  const { promise, resolve } = Promise.withResolvers<ReleaseSlot | null>();
  const enter = (): void => {
    signal.removeEventListener('abort', giveUp);
    queue.active += 1;
    resolve(leave);
  };
  const giveUp = (): void => {
    const place = queue.waiting.indexOf(enter);
    if (place >= 0) queue.waiting.splice(place, 1);
    resolve(null);
  };
  queue.waiting.push(enter);
  signal.addEventListener('abort', giveUp, { once: true });
  return promise;
}

function once(act: () => void): ReleaseSlot {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
