import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { ADDRESS_PATTERN } from '../../model/hash.ts';
import type { ArtifactStore } from '../../ports/artifact-store.ts';

/** One file for each artifact, named by its address. */
export function artifactFolder(folder: string): ArtifactStore {
  const fileOf = (id: string): string => {
    if (!ADDRESS_PATTERN.test(id)) throw new Fault('input_invalid', 'an artifact is called by its address');
    return join(folder, `${id.replace(':', '-')}.json`);
  };
  return {
    put: async (id, text) => {
      await mkdir(folder, { recursive: true });
      const file = fileOf(id);
      // A reader finds all of it or nothing.
      await writeFile(`${file}.part`, text, { flush: true });
      await rename(`${file}.part`, file);
    },
    get: async (id) => {
      try {
        return await readFile(fileOf(id), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
