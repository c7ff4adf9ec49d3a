import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Fault } from '../../model/fault/fault.ts';
import { ADDRESS_PATTERN } from '../../model/json/hash.ts';
import type { Archive, ArtifactStore } from '../../ports/store/artifact-store.ts';

/** Stores each artifact in one file, named by its address. Only the owner can read the folder and its files. */
export function artifactFolder(folder: string): ArtifactStore {
  const fileOf = (id: string): string => {
    if (!ADDRESS_PATTERN.test(id)) throw new Fault('input_invalid', 'an artifact is called by its address');
    return join(folder, `${id.replace(':', '-')}.json`);
  };
  return {
    put: async (id, text) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(id);
      // The rename is atomic: a reader never sees part of a file.
      await writeFile(`${file}.part`, text, { mode: 0o600, flush: true });
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

/** The maximum size of an unpacked bundle, regardless of the size that the file declares. */
const UNPACKED_MAX = 268_435_456;

export const gzipArchive: Archive = Object.freeze({
  pack: (text) => {
    const bytes = Buffer.from(text);
    if (bytes.length <= UNPACKED_MAX) return gzipSync(bytes, { level: 9 });
    throw new Fault('json_too_large', `the run takes more than ${UNPACKED_MAX} bytes, which no import accepts`);
  },
  unpack: (bytes) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        gunzipSync(bytes, { maxOutputLength: UNPACKED_MAX }),
      );
    } catch (error) {
      throw new Fault('bundle_invalid', 'the file is damaged or is no bundle: it cannot be unpacked', { cause: error });
    }
  },
} satisfies Archive);
