/** A tool that a run has given up on: how often, and from when on one call may try whether it works again. */
export interface Tripped {
  readonly times: number;
  readonly until: number;
}

export type TrippedTools = Readonly<Record<string, Tripped>>;
