import type { KernelEnv } from '../kernel/env.ts';
import type { RunState } from '../kernel/state.ts';
import { Fault } from '../model/fault.ts';
import type { Journal } from '../ports/journal.ts';
import { isAside } from './aside.ts';
import { foldFrame } from './fold-frame.ts';
import type { Place } from './journal-writer.ts';

/** A run and its place in the journal, after what others have said to it in passing. */
export interface CaughtUp {
  readonly state: RunState;
  readonly place: Place;
  /** Whether what is in flight is to be called back. */
  readonly recalled: boolean;
}

export const isFenced = (error: unknown): error is Fault => Fault.is(error) && error.code === 'fenced';

/** Null where nothing was said, and where somebody else drives the run by now: then it is no longer this process's. */
export async function caughtUp(
  env: KernelEnv,
  journal: Pick<Journal, 'load'>,
  known: { readonly state: RunState; readonly place: Place },
): Promise<CaughtUp | null> {
  let { state, place } = known;
  let recalled = false;
  if (place.seq === 0) return null;
  const news = await journal.load(state.id.runId, place.seq + 1);
  if (news.length === 0 || news.some(({ writer }) => !isAside(writer))) return null;
  for (const frame of news) {
    const folded = foldFrame(env, state, frame);
    state = folded.state;
    place = { seq: frame.seq, head: frame.hash };
    recalled ||= folded.effects.some(({ kind }) => kind === 'abort_flight');
  }
  return { state, place, recalled };
}
