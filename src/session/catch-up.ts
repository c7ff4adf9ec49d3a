import { foldFrame, type KernelEnv, type RunState } from '../kernel/index.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { isGuestWriter, type JournalPlace } from './journal-writer.ts';

/** A run and its place in the journal, after folding the frames of guest writers. */
export interface CaughtUp {
  readonly state: RunState;
  readonly place: JournalPlace;
  /** True if the effect in flight must be cancelled. */
  readonly recalled: boolean;
}

export const isFenced = (error: unknown): error is Fault => Fault.is(error) && error.code === 'fenced';

/** Folds new frames of guest writers. Returns null if there are none, or if another process has taken over the run. */
export async function readGuestFrames(
  env: KernelEnv,
  journal: Pick<Journal, 'load'>,
  known: { readonly state: RunState; readonly place: JournalPlace },
): Promise<CaughtUp | null> {
  let { state, place } = known;
  let recalled = false;
  if (place.seq === 0) return null;
  const news = await journal.load(state.id.runId, place.seq + 1);
  if (news.length === 0 || news.some(({ writer }) => !isGuestWriter(writer))) return null;
  for (const frame of news) {
    const folded = foldFrame(env, state, frame);
    state = folded.state;
    place = { seq: frame.seq, head: frame.hash };
    recalled ||= folded.effects.some(({ kind }) => kind === 'abort_flight');
  }
  return { state, place, recalled };
}
