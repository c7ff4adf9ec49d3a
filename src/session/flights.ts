import type { Derived } from '../kernel/derive.ts';
import { Recall } from '../ports/recall.ts';
import { type Timer, wakeAt } from '../ports/timer.ts';

/** What came of a flight. */
export interface Landed {
  readonly name: string;
  readonly answer: Derived;
}

/** Whatever is on its way, by name: what is sent under a name takes the place of what was sent under it before. */
export interface Flights {
  /** In the order in which they were sent. Hardly ever more than one, and then as many as there are lanes. */
  readonly all: readonly Flight[];
  get(name: string): Flight | undefined;
  send(name: string, awaited: boolean, ask: (recall: Recall) => Promise<Derived>): void;
  forget(name: string): void;
  /** Forgets all whose names nobody keeps. */
  keep(isKept: (name: string) => boolean): void;
  /**
   * The first to land of what is out now, or null where the instant comes before that. What has landed already comes
   * first, in the order in which it was sent. A flight that has failed fails whoever waits for it.
   */
  next(atMs: number | null): Promise<Landed | null>;
}

/** Something that was asked of the world. It keeps what came of it until somebody waits for that. */
class Flight {
  readonly recall: Recall = new Recall();
  readonly name: string;
  /** The run cannot go on without the answer. */
  readonly awaited: boolean;
  /** What came of it; null while it is out. */
  end: Ended | null = null;
  /** Who waits for it. */
  landing: ((end: Ended) => void) | null = null;

  constructor(name: string, awaited: boolean) {
    this.name = name;
    this.awaited = awaited;
  }

  /** Whoever throws before they have promised anything has failed like everybody else. */
  async fly(ask: (recall: Recall) => Promise<Derived>): Promise<void> {
    try {
      this.end = { ok: true, landed: { name: this.name, answer: await ask(this.recall) } };
    } catch (error) {
      this.end = { ok: false, error };
    }
    this.landing?.(this.end);
  }
}

type Ended = { readonly ok: true; readonly landed: Landed } | { readonly ok: false; readonly error: unknown };

export function flightsBy(timer: Timer): Flights {
  const all: Flight[] = [];
  const placeOf = (name: string): number => all.findIndex((flight) => flight.name === name);
  return {
    all,
    get: (name) => all.find((flight) => flight.name === name),
    send: (name, awaited, ask) => {
      const flight = new Flight(name, awaited);
      const place = placeOf(name);
      if (place < 0) all.push(flight);
      else all[place] = flight;
      void flight.fly(ask);
    },
    forget: (name) => {
      const place = placeOf(name);
      if (place >= 0) all.splice(place, 1);
    },
    keep: (isKept) => {
      const kept = all.filter(({ name }) => isKept(name));
      all.splice(0, all.length, ...kept);
    },
    next: (atMs) => firstOf(all, timer, atMs),
  };
}

function firstOf(all: readonly Flight[], timer: Timer, atMs: number | null): Promise<Landed | null> {
  return new Promise((resolve, reject) => {
    const settle = (end: Ended): void => (end.ok ? resolve(end.landed) : reject(end.error));
    for (const { end } of all) if (end !== null) return settle(end);
    if (atMs === null && all.length === 0) return resolve(null);
    const late = atMs === null ? null : wakeAt(timer, atMs, () => resolve(null), reject);
    const landing = (end: Ended): void => {
      late?.cancel();
      settle(end);
    };
    for (const flight of all) flight.landing = landing;
  });
}
