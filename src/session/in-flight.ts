import type { Derived } from '../kernel/index.ts';
import { Cancellation } from '../ports/cancellation.ts';
import { type Timer, wakeAt } from '../ports/clock.ts';

export interface FinishedEffect {
  readonly name: string;
  readonly answer: Derived;
}

/** The effects in flight, by name. An effect replaces an earlier one with the same name. */
export interface InFlight {
  /** In the order they were sent. Usually one; with lanes, one per lane. */
  readonly all: readonly Flight[];
  get(name: string): Flight | undefined;
  send(name: string, awaited: boolean, ask: (recall: Cancellation) => Promise<Derived>): void;
  forget(name: string): void;
  /** Drops every effect whose name is not kept. */
  keep(isKept: (name: string) => boolean): void;
  /**
   * The first effect to finish, or null if the time comes first. Effects that have already finished come first, in the
   * order they were sent. A failed effect rejects the promise.
   */
  next(atMs: number | null): Promise<FinishedEffect | null>;
}

/** An effect in flight. It keeps its answer until the loop waits for it. */
class Flight {
  readonly recall: Cancellation = new Cancellation();
  readonly name: string;
  /** The run cannot continue without the answer. */
  readonly awaited: boolean;
  /** The result; null while the effect is in flight. */
  end: Ended | null = null;
  /** The pending wait for this effect. */
  onFinish: ((end: Ended) => void) | null = null;

  constructor(name: string, awaited: boolean) {
    this.name = name;
    this.awaited = awaited;
  }

  /** A synchronous throw counts as a rejection. */
  async start(ask: (recall: Cancellation) => Promise<Derived>): Promise<void> {
    try {
      this.end = { ok: true, landed: { name: this.name, answer: await ask(this.recall) } };
    } catch (error) {
      this.end = { ok: false, error };
    }
    this.onFinish?.(this.end);
  }
}

type Ended = { readonly ok: true; readonly landed: FinishedEffect } | { readonly ok: false; readonly error: unknown };

export function createInFlight(timer: Timer): InFlight {
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
      void flight.start(ask);
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

function firstOf(all: readonly Flight[], timer: Timer, atMs: number | null): Promise<FinishedEffect | null> {
  return new Promise((resolve, reject) => {
    const settle = (end: Ended): void => (end.ok ? resolve(end.landed) : reject(end.error));
    for (const { end } of all) if (end !== null) return settle(end);
    if (atMs === null && all.length === 0) return resolve(null);
    const late = atMs === null ? null : wakeAt(timer, atMs, () => resolve(null), reject);
    const landing = (end: Ended): void => {
      late?.cancel();
      settle(end);
    };
    for (const flight of all) flight.onFinish = landing;
  });
}
