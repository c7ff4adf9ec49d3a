import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';

/** More than this is not put before a person line by line. */
const SHOWN_MAX_BYTES = 1_048_576;

export const workspaceFiles: WorkspaceFiles = {
  realPath,
  text: (path) => {
    try {
      return statSync(path).size > SHOWN_MAX_BYTES ? null : readFileSync(path, 'utf8');
    } catch {
      return null;
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
