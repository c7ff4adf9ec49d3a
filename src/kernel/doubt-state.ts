/**
 * A call that may have had its effect: the key it went out under, the first time that could have been, and the time
 * from which on it can no longer be on its way. A person who decided before that is heeded from then on.
 */
export interface Doubt {
  readonly key: string;
  readonly since: number;
  readonly until: number;
  readonly decided: boolean;
  /** Another run made it, above this one, in a lane of it or before it was forked: its key is not this run's to use. */
  readonly foreign?: true;
}
