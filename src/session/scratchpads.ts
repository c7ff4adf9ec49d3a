import type { RunState } from '../kernel/state.ts';
import type { Note, Scratchpad } from '../ports/scratchpad.ts';

/** Notes that a model keeps for one step, and runs that notes are kept for. More push out the oldest. */
const NOTES_MAX = 100;
const RUNS_MAX = 1_000;

export interface Scratchpads {
  /** The scratchpad of the step that is at hand: a new one after every commit and every compression. */
  of(state: RunState): Scratchpad;
  /** Throws away what was noted, as the next step would. */
  discard(state: RunState): void;
}

interface Page {
  readonly step: string;
  readonly pad: Scratchpad;
}

/** In this process only. No journal holds a note, so that no replay and no later step can come to rest on one. */
export function scratchpads(): Scratchpads {
  const pages = new Map<string, Page>();
  return {
    of: ({ id: { runId }, work, counters }) => {
      const step = `${work.version}_${counters.compressions}`;
      const page = pages.get(runId);
      if (page?.step === step) return page.pad;
      const pad = openPad(step);
      pages.delete(runId);
      pages.set(runId, { step, pad });
      const [oldest] = pages.keys();
      if (pages.size > RUNS_MAX && oldest !== undefined) pages.delete(oldest);
      return pad;
    },
    discard: ({ id: { runId } }) => void pages.delete(runId),
  };
}

function openPad(step: string): Scratchpad {
  let written = 0;
  let notes: readonly Note[] = [];
  return {
    note: (text) => {
      written += 1;
      const id = `note_${step}_${written}`;
      notes = [...notes, { id, text }].slice(-NOTES_MAX);
      return id;
    },
    notes: () => notes,
  };
}
