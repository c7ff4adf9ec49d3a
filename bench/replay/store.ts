import { storeTools } from '../../src/compose.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import { cpuUsOf, medianCpuUs } from './cpu.ts';
import { makeRuns, openStore, storeIn } from './runs.ts';

/** CPU times in µs in a store with this number of runs. */
export interface StoreCost {
  readonly runs: number;
  /** Replay of one run of ten steps. */
  readonly replay: number;
  /** Verification of every run. */
  readonly verify: number;
  /** One page of each listing. */
  readonly lists: Readonly<Record<string, number>>;
  /** Removal of every run. */
  readonly prune: number;
}

const PAGE = 20;

/** One page of each listing; two of them match no run, so that every row that they read is in vain. */
const LISTINGS: Readonly<Record<string, (ambit: Ambit) => Promise<unknown>>> = {
  newest: (ambit) => ambit.sessions.list({ limit: PAGE }),
  oldest: (ambit) => ambit.sessions.list({ limit: PAGE, order: 'oldest' }),
  tenant: (ambit) => ambit.sessions.list({ limit: PAGE, tenant: 'acme' }),
  mode: (ambit) => ambit.sessions.list({ limit: PAGE, mode: 'long_running' }),
  failed: (ambit) => ambit.sessions.list({ limit: PAGE, statuses: ['failed'], agent: 'drafter' }),
  due: (ambit) => ambit.sessions.list({ limit: PAGE, dueBy: Number.MAX_SAFE_INTEGER }),
  gates: (ambit) => ambit.gates.list(),
  threads: (ambit) => ambit.threads.list({ limit: PAGE }),
};

/** Makes a store with this number of runs and reads it in every way. The last one removes the runs. */
export async function costInStore(folder: string, runs: number): Promise<StoreCost> {
  const ambit = openStore(folder);
  await makeRuns(ambit, runs, 1);
  const run = await makeRuns(ambit, 1, 10);
  const replay = await medianCpuUs(() => ambit.records.replay(run));
  const lists: Record<string, number> = {};
  for (const [name, list] of Object.entries(LISTINGS)) lists[name] = await medianCpuUs(() => list(ambit));
  const verify = await cpuUsOf(() => ambit.records.verify());
  await ambit.close();
  const options = { tenant: 'acme', olderThanMs: 0, now: Date.now() + 1 };
  const prune = await cpuUsOf(() => storeTools.prune(storeIn(folder), options));
  return { runs, replay, verify, lists, prune };
}
