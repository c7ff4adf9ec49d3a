import { Fault } from '../model/fault.ts';

const TAKES_MAX = 3;

/** A grant that was used up or taken back meanwhile has not let the call pass: the turn is taken again without it. */
export async function retakeIfStale<T>(take: () => Promise<T>, refresh: () => Promise<void>): Promise<T> {
  for (let takes = 1; ; takes += 1) {
    try {
      return await take();
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'grant_stale' || takes >= TAKES_MAX) throw error;
      await refresh();
    }
  }
}
