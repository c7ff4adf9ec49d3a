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

/** More than this is not put before a person line by line. */
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
  text: (path) => look(path, (file) => (fstatSync(file).size <= SHOWN_MAX_BYTES ? readFileSync(file, 'utf8') : null)),
  digest: (path) =>
    look(path, (file) => {
      const hash = createHash('sha256');
      const piece = new Uint8Array(PIECE_BYTES);
      for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
        hash.update(piece.subarray(0, read));
      return `sha256:${hash.digest('hex')}`;
    }),
};

/** Opens a file, and nothing but a file, for as long as somebody looks at it. */
function look(path: string, at: (file: number) => string | null): string | null {
  let file: number | null = null;
  try {
    // Whoever opens a pipe waits for its other end, unless it is opened so; what was opened is what is looked at.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).isFile() ? at(file) : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** What does not exist yet lies where its folder really is. A link that leads nowhere could lead anywhere tomorrow. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isAbsent(error) || isThere(path) || dirname(path) === path) return null;
    const folder = realPath(dirname(path));
    return folder === null ? null : join(folder, basename(path));
  }
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
