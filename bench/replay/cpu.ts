import { median } from '../harness/quantile.ts';

/** CPU time of this process, garbage collection included, in µs. */
export async function cpuUsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const WARM_UP_US = 1_500_000;
const ROUNDS = 7;
const ROUND_US = 150_000;

/** CPU time of one call in µs: the median of rounds of many calls, after a warm-up. */
export async function medianCpuUs(work: () => unknown): Promise<number> {
  for (let spent = 0; spent < WARM_UP_US; ) spent += await cpuUsOf(work);
  const rounds: number[] = [];
  while (rounds.length < ROUNDS) {
    let [spent, calls] = [0, 0];
    for (; spent < ROUND_US; calls += 1) spent += await cpuUsOf(work);
    rounds.push(spent / calls);
  }
  return median(rounds);
}
