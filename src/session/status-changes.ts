import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import { step } from '../kernel/step.ts';
import type { RunEvent } from '../model/event.ts';
import type { Frame } from '../model/frame.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { Journal } from '../ports/journal.ts';
import type { RulesOf } from './drives-by-rules.ts';

/** How a session stood before one of its events, and how after it. */
export interface StatusChange {
  readonly before: SessionStatus;
  readonly after: SessionStatus;
}

/** Where an event stands in the journal of its session. */
export interface EventPlace {
  readonly seq: number;
  readonly index: number;
}

/** What events have done to the status of a session, asked for in their order. */
export type StatusChanges = (place: EventPlace) => Promise<StatusChange | null>;

/**
 * Folds a run as far as it is asked about, and no event twice. Null where it cannot be followed here: whoever only looks
 * on is then told less, and goes on.
 */
export function statusChanges(journal: Pick<Journal, 'load'>, rulesOf: RulesOf, session: string): StatusChanges {
  let env: KernelEnv | null = null;
  let state: RunState | null = null;
  let done: EventPlace = { seq: 1, index: -1 };
  const fold = async (place: EventPlace): Promise<StatusChange | null> => {
    const frames = await journal.load(session, done.seq);
    env ??= await rulesOf(frames);
    let change: StatusChange | null = null;
    for (const { index, seq, event } of eventsBetween(frames, done, place)) {
      const from: RunState = state ?? initialState(env);
      const [next, , fault] = step(env, from, event);
      if (fault !== undefined) throw fault;
      change = { before: from.session.status, after: next.session.status };
      state = next;
      done = { seq, index };
    }
    return change;
  };
  return (place) => fold(place).catch(() => null);
}

/** The events behind the one place, up to the other. */
function* eventsBetween(
  frames: readonly Frame[],
  from: EventPlace,
  to: EventPlace,
): Iterable<EventPlace & { readonly event: RunEvent }> {
  for (const { seq, events } of frames) {
    if (seq > to.seq) return;
    for (const [index, event] of (JSON.parse(events) as readonly RunEvent[]).entries()) {
      if (seq === to.seq && index > to.index) return;
      if (seq > from.seq || index > from.index) yield { seq, index, event };
    }
  }
}
