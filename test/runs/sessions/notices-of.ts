import type { Rig } from '../rig.ts';

/** Everything that is announced of a session that has ended, in order. */
export async function noticesOf({ runtime }: Pick<Rig, 'runtime'>, runId: string): Promise<readonly string[]> {
  const notices: string[] = [];
  for await (const { notice } of runtime.watch(runId)) if (notice !== null) notices.push(notice);
  return notices;
}
