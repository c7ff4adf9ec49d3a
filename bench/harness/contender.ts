/** A measured program. It runs in its own process, so that contenders share neither garbage nor compiled code. */
export interface Contender {
  /** Steps in one batch, by which the CPU time of a batch is divided. */
  readonly stepsPerBatch: number;
  /** Creates the input of a batch, such as arguments, plans and graphs. Not timed. */
  prepare(): Batch;
}

/** The timed part. */
export type Batch = () => void | Promise<void>;

/** Steps of one run of every contender: the number of nodes of a graph or workflow. */
export const RUN_STEPS: number = 100;

/** Events of one action cycle of Ambit: cleared, attempted, observed, verified, committed, judged. */
export const EVENTS_PER_STEP: number = 6;
