import { Fault } from '../model/fault.ts';

const TAKES_MAX = 3;

/**
 * A grant that was used up or taken back meanwhile has not let the call pass: the turn that failed with that is taken
 * again without it. What failed with anything else has failed.
 */
export async function retakeIfStale<T>(
  failure: unknown,
  take: () => Promise<T>,
  refresh: () => Promise<void>,
): Promise<T> {
  let error = failure;
  for (let takes = 1; takes < TAKES_MAX && isStale(error); takes += 1) {
    await refresh();
    try {
      return await take();
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

const isStale = (error: unknown): boolean => Fault.is(error) && error.code === 'grant_stale';
