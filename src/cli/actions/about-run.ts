import type { Ambit, RunOutcome } from '../../index.ts';
import type { AboutRun } from '../views/about-run.ts';
import { originOf } from './origin-of.ts';

/** What the outcome of a run does not say of it. Only what is under way can be driven by somebody. */
export async function aboutRun(runtime: Ambit, { runId, status }: RunOutcome): Promise<AboutRun> {
  const origin = await originOf(runtime, runId);
  const driver = status === 'in_progress' && origin.imported === null ? await runtime.driver(runId) : null;
  return { origin, driver: driver === null || driver.here ? null : driver };
}
