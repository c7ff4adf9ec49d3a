import { gunzipSync, gzipSync } from 'node:zlib';
import { Fault } from '../../model/fault.ts';
import type { Archive } from '../../ports/archive.ts';

/** No file grows larger than this when it is unpacked, whatever it says it holds. */
const UNPACKED_MAX = 1_073_741_824;

export const gzipArchive: Archive = Object.freeze({
  pack: (text) => gzipSync(text, { level: 9 }),
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
