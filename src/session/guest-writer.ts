import { foldFrame, type KernelEnv, type RunState } from '../kernel/index.ts';
import type { Proofs } from '../ports/proofs.ts';
import type { JournalPlace } from './journal-writer.ts';
import { assertDerived, assertProven, type ProvingJournal } from './proofs/assert-proven.ts';

/**
 * The suffix of a guest writer, such as `writer_1/aside`: a process that does not drive the run and writes a pause, a
 * cancel or a budget. The driver folds such a frame and keeps driving.
 */
const GUEST_SUFFIX = '/aside';

export const guestWriter = (writer: string): string => `${writer}${GUEST_SUFFIX}`;

export const isGuestWriter = (writer: string): boolean => writer.endsWith(GUEST_SUFFIX);

/** A run and its place in the journal, after folding the frames of guest writers. */
export interface CaughtUp {
  readonly state: RunState;
  readonly place: JournalPlace;
  /** True if the effect in flight must be cancelled. */
  readonly recalled: boolean;
}

/**
 * Folds new frames of guest writers. Returns null if there are none, or if another process has taken over the run. Throws
 * `decision_unproven` if they hold a decision that nothing proves, and `run_altered` if they were not derived.
 */
export async function readGuestFrames(
  env: KernelEnv,
  journal: ProvingJournal,
  known: { readonly state: RunState; readonly place: JournalPlace },
  proofs: Proofs | undefined,
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
  if (proofs !== undefined || journal.assertSigned !== undefined) {
    const used = { state, frames: await journal.load(state.id.runId) };
    await assertProven(proofs, journal, used);
    await assertDerived(proofs, journal, used);
  }
  return { state, place, recalled };
}
