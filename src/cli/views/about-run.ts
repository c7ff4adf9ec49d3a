import type { RunDriver } from '../../index.ts';
import type { Origin } from './origin-view.ts';

/** What somebody who looks at a run has to know besides how it stands. */
export interface AboutRun {
  readonly origin: Origin;
  /** The other process that drives it at the moment. */
  readonly driver: Extract<RunDriver, { readonly here: false }> | null;
}

/** What follows the name of a machine tells its lives apart, and is nothing to a person. */
export const driverWords = ({ pid, machine }: NonNullable<AboutRun['driver']>): string =>
  `process ${pid} on ${machine.split(' ')[0]}`;
