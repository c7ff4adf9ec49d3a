import type { Rig } from '../rig.ts';

/** Returns all notices of an ended session, in order. */
export async function noticesOf({ runtime }: Pick<Rig, 'runtime'>, runId: string): Promise<readonly string[]> {
  const notices: string[] = [];
  for await (const { notice } of runtime.sessions.watch(runId)) if (notice !== null) notices.push(notice);
  return notices;
}
