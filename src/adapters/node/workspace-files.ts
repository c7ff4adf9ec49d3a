import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';

/** More than this is not put before a person line by line. */
const SHOWN_MAX_BYTES = 1_048_576;

export const workspaceFiles: WorkspaceFiles = {
  realPath,
  isFolder: (path) => {
    try {
      return statSync(path).isDirectory();
    } catch {
      return false;
    }
  },
  text: (path) => {
    let file: number | null = null;
    try {
      // Whoever opens a pipe waits for its other end, unless it is opened so; what was opened is what is looked at.
      file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const found = fstatSync(file);
      return found.isFile() && found.size <= SHOWN_MAX_BYTES ? readFileSync(file, 'utf8') : null;
    } catch {
      return null;
    } finally {
      if (file !== null) closeSync(file);
    }
  },
};

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
