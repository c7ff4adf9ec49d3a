import type { RunState } from '../kernel/state.ts';
import type { Goal } from '../model/goal.ts';
import type { Note, Scratchpad } from '../ports/scratchpad.ts';

/** Notes that a model keeps for one step, and how many of them. More push out the oldest. */
const NOTES_MAX = 100;

export interface Scratchpads {
  /** The scratchpad of the step that is at hand: a new one after every commit and every compression. */
  of(state: RunState): Scratchpad;
}

interface Page {
  readonly step: string;
  readonly pad: Scratchpad;
}

/** In this process only. No journal holds a note, so that no replay and no later step can come to rest on one. */
export function scratchpads(): Scratchpads {
  // By the goal, which a run carries along unchanged: what is forgotten with the run needs no clearing away.
  const pages = new WeakMap<Goal, Page>();
  return {
    of: (state) => {
      const { goal } = state.intake;
      if (goal === null) return openPad('none');
      const step = `${state.work.version}_${state.counters.compressions}`;
      const page = pages.get(goal);
      if (page?.step === step) return page.pad;
      const pad = openPad(step);
      pages.set(goal, { step, pad });
      return pad;
    },
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
