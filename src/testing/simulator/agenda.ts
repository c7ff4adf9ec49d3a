import type { EventBody } from '../../model/events/event.ts';

/** An event that reaches the run at a certain time. */
export interface Delivery {
  readonly at: number;
  readonly body: EventBody;
  /** `answer`: to an effect that a process sent. `input`: from people, models or the world. `stray`: unexpected. */
  readonly kind: 'answer' | 'input' | 'stray';
  /** For an answer or a stray, the process that sent the effect and alone receives it. */
  readonly life: number | null;
  /** The store has failed for this delivery before. If it fails again, the process gives up. */
  readonly lastTry?: true;
}

/** Pending deliveries, earliest first; of two at the same time, the one added first. */
export interface Agenda {
  add(...deliveries: readonly Delivery[]): void;
  /** Time of the next delivery. */
  next(): number | null;
  take(): Delivery | null;
  some(fits: (delivery: Delivery) => boolean): boolean;
  /** Removes and returns the matching deliveries. */
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
