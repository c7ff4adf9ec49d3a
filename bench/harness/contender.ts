/** Something that is measured. It runs in a process of its own, so nobody's garbage or compiled code disturbs a neighbour. */
export interface Contender {
  /** Steps in one batch: what the CPU time of a batch is divided by. */
  readonly stepsPerBatch: number;
  /** Makes everything a batch consumes. Not timed: it is where arguments, plans and graphs are made. */
  prepare(): Batch;
}

/** The timed part. */
export type Batch = () => void | Promise<void>;

/** The length of one run of every contender: what a peer calls a graph or a workflow has this many nodes. */
export const RUN_STEPS: number = 100;

/** What one action cycle of Ambit consists of: cleared, attempted, observed, verified, committed, judged. */
export const EVENTS_PER_STEP: number = 6;
