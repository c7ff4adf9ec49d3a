import type { EventBody } from '../../model/event.ts';

/** Something that will reach a run at a certain time. */
export interface Delivery {
  readonly at: number;
  readonly body: EventBody;
  /** `answer`: to what a process sent out. `input`: from people, models, the world. `stray`: nobody waits for it. */
  readonly kind: 'answer' | 'input' | 'stray';
  /** For an answer or a stray, the process that asked; nobody else can be given it. */
  readonly life: number | null;
  /** The store has failed on account of this already. If it fails once more, the process gives up. */
  readonly lastTry?: true;
}

/** What is still to come, the earliest first; of two at the same time, the one that was planned first. */
export interface Agenda {
  add(...deliveries: readonly Delivery[]): void;
  /** When the next thing comes. */
  next(): number | null;
  take(): Delivery | null;
  some(fits: (delivery: Delivery) => boolean): boolean;
  /** Removes what fits and returns it. */
  withdraw(fits: (delivery: Delivery) => boolean): readonly Delivery[];
}

export function agenda(): Agenda {
  let planned: Delivery[] = [];
  const first = (): number => {
    let earliest = 0;
    planned.forEach(({ at }, index) => {
      if (at < (planned[earliest]?.at ?? 0)) earliest = index;
    });
    return earliest;
  };
  return {
    add: (...deliveries) => {
      planned.push(...deliveries);
    },
    next: () => planned[first()]?.at ?? null,
    take: () => planned.splice(first(), 1)[0] ?? null,
    some: (fits) => planned.some(fits),
    withdraw: (fits) => {
      const gone = planned.filter(fits);
      if (gone.length > 0) planned = planned.filter((delivery) => !fits(delivery));
      return gone;
    },
  };
}
