import type { Ambit, RunEvent } from '../../index.ts';

export async function eventsOf(runtime: Ambit, runId: string): Promise<readonly RunEvent[]> {
  return (await runtime.frames(runId)).flatMap(({ events }) => JSON.parse(events) as RunEvent[]);
}
