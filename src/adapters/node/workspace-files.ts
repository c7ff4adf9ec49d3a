import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { workspaceAccess } from './workspace-access.ts';

/** A larger file is not shown to a person as text. */
const SHOWN_MAX_BYTES = 1_048_576;

const PIECE_BYTES = 65_536;

export const workspaceFiles: WorkspaceFiles = {
  realPath,
  isFolder: (path) => {
    try {
      return statSync(path).isDirectory();
    } catch {
      return false;
    }
  },
  text: (path) =>
    withFile(path, (file) => (fstatSync(file).size <= SHOWN_MAX_BYTES ? readFileSync(file, 'utf8') : null)),
  digest: (path) =>
    withFile(path, (file) => {
      const hash = createHash('sha256');
      const piece = new Uint8Array(PIECE_BYTES);
      for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
        hash.update(piece.subarray(0, read));
      return `sha256:${hash.digest('hex')}`;
    }),
  hasOtherNames: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.nlink > 1;
  },
  within: workspaceAccess,
};

/** Opens a regular file for the duration of `read`. Returns null for anything else. */
function withFile(path: string, read: (file: number) => string | null): string | null {
  let file: number | null = null;
  try {
    // O_NONBLOCK, because opening a pipe would otherwise wait for a writer. `fstat` checks the file that was opened.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).isFile() ? read(file) : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Resolves a missing path through its folder. Returns null for a dangling link, whose target may appear later. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isAbsent(error) || exists(path) || dirname(path) === path) return null;
    const folder = realPath(dirname(path));
    return folder === null ? null : join(folder, basename(path));
  }
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
