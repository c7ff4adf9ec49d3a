import { writeFileSync } from 'node:fs';
import { Fault } from '../index.ts';

/** Writes a file that is not there yet. What is there (a key, an anchor, a run) is never written over. */
export function writeNew(file: string, content: string | Uint8Array, mode = 0o666): void {
  try {
    writeFileSync(file, content, { mode, flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it is there already, and is not written over' : message;
    throw new Fault('input_invalid', `${file} cannot be written: ${why}`, { cause: error });
  }
}
