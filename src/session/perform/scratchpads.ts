import type { RunState } from '../../kernel/index.ts';
import type { Note, Scratchpad } from '../../ports/workspace-files.ts';

/** The most notes per step, and the most runs with notes. The oldest are dropped. */
const NOTES_MAX = 100;
const RUNS_MAX = 1_000;

export interface Scratchpads {
  /** The scratchpad of the current step; a new one after every commit and every compression. */
  of(state: RunState): Scratchpad;
  /** Discards the notes, as the next step would. */
  discard(state: RunState): void;
}

interface Page {
  readonly step: string;
  readonly pad: Scratchpad;
}

/** Keeps notes in this process only. They are not in the journal, so no replay and no later step can depend on one. */
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
