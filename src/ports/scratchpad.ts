/** A working note of a model. It is worth nothing as a reason for anything. */
export interface Note {
  readonly id: string;
  readonly text: string;
}

/** Where a model may write down what it likes while one step is at hand. All of it is gone with the step. */
export interface Scratchpad {
  /** Keeps a note, and says under which id. */
  note(text: string): string;
  notes(): readonly Note[];
}
