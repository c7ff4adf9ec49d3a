import { join } from 'node:path';
import type { Ambit } from '../../src/runtime/ambit.ts';
import { openAmbit, requestOf } from '../durable/agent.ts';
import { payload, SESSIONS } from '../durable/steps.ts';

export const storeIn = (folder: string): string => join(folder, 'replay.db');

export const openStore = (folder: string): Ambit => openAmbit(storeIn(folder), payload);

/** Makes this number of runs of this length, many at once. Returns the id of the last one. */
export async function makeRuns(ambit: Ambit, count: number, steps: number): Promise<string> {
  let made = 0;
  let last = '';
  const work = async (): Promise<void> => {
    for (let run = made; run < count; run = made) {
      made += 1;
      const { runId, terminalCode } = await ambit.invoke(requestOf(`${steps}-${run}`, steps));
      if (terminalCode !== 'SUCCESS') throw new Error(`a run ended ${terminalCode}`);
      last = runId;
    }
  };
  await Promise.all(Array.from({ length: SESSIONS }, work));
  return last;
}
