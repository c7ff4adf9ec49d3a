import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { WORKER } from './worker-process.ts';

/**
 * Writes the worker and all that it imports to one file. Loading a thousand files is most of the start of a process, and
 * every kill needs a new process.
 */
export async function bundleWorker(folder: string): Promise<string> {
  const file = join(folder, 'worker.mjs');
  const bundle = await rolldown({ input: WORKER, platform: 'node', external: /^node:/ });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}
