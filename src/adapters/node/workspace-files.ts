import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { workspaceAccess } from './workspace-access.ts';
import { type WorkspaceRoots, workspaceRoots } from './workspace-roots.ts';

/** A larger file is neither shown to a person as text nor hashed. */
const READ_MAX_BYTES = 1_048_576;

/** Creates the files of one runtime, which remember the folders of its workspaces. */
export const workspaceFiles = (roots: WorkspaceRoots = workspaceRoots()): WorkspaceFiles => ({
  realPath,
  home: roots.home,
  isFolder: (path) => kindOf(path)?.isDirectory() === true,
  isSpecial: (path) => {
    const kind = kindOf(path);
    return kind !== null && !kind.isFile() && !kind.isDirectory();
  },
  text: (path) => withFile(path, (file) => readSmall(file)?.toString('utf8') ?? null),
  digest: (path) =>
    withFile(path, (file) => {
      const content = readSmall(file);
      return content === null ? identityOf(file) : `sha256:${hash('sha256', content, 'hex')}`;
    }),
  hasOtherNames: (path) => {
    const found = kindOf(path);
    return found?.isFile() === true && found.nlink > 1;
  },
  within: (workspace) => workspaceAccess(workspace, { roots }),
});

/**
 * Identifies the state of a file that is too large to be hashed here: a sparse file of any size costs nothing to create.
 * Every change of the content changes the change time, which programs cannot set.
 */
function identityOf(file: number): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true });
  return `stat:${[dev, ino, size, mtimeNs, ctimeNs].join('.')}`;
}

/** The content of an open file, or null if it is too large. The size is not trusted: some files grow while being read. */
function readSmall(file: number): Buffer | null {
  const { size } = fstatSync(file);
  if (size > READ_MAX_BYTES) return null;
  const content = Buffer.allocUnsafe(READ_MAX_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < content.length; length += read) {
    read = readSync(file, content, length, content.length - length, null);
  }
  return length > READ_MAX_BYTES ? null : content.subarray(0, length);
}

function kindOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Opens a regular file for the duration of `read`. Returns null for anything else. */
function withFile(path: string, read: (file: number) => string | null): string | null {
  // The kind is checked before the file is opened, because opening a device may have an effect, and again afterwards.
  if (kindOf(path)?.isFile() !== true) return null;
  let file: number | null = null;
  try {
    // O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
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
