import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Fault } from '../../model/fault/fault.ts';
import type { FileAccess, WorkspaceFolders } from '../../ports/workspace-files.ts';
import { type WorkspaceRoots, workspaceRoots } from './workspace-roots.ts';

const { O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** A file larger than this is not read into memory. */
const READ_MAX_BYTES = 67_108_864;

/**
 * Files of a workspace. A check of a path says nothing about the moment of the write: a folder may be swapped for a link
 * in between. So the file is opened first, then it is checked that the open file is the one that was named, and only
 * then is it read or written.
 */
export function workspaceAccess(
  { root, allow }: WorkspaceFolders,
  { holdsFolders = process.platform === 'linux', roots = workspaceRoots() }: AccessOptions = {},
): FileAccess {
  // A root that does not exist yet is remembered when it is first found.
  roots.home(root);
  const homeOf = (path: string): string => {
    const home = roots.home(root);
    if (home === null) throw outside(path, 'the workspace does not exist, or its root was replaced by another folder');
    return home;
  };
  const opened = async <T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> => {
    const home = homeOf(path);
    const real = join(home, ...segmentsOf(path));
    const folders = await Promise.all(allow.map((folder) => permittedFolder(home, folder)));
    const assertPermitted = (place: string): void => {
      if (folders.some((folder) => isWithin(folder, home) && isWithin(place, folder))) return;
      throw outside(path, 'it is in no folder that is permitted');
    };
    // Checked before as well, so that nothing is created in another folder.
    assertPermitted(real);
    const isHome = async (folder: FileHandle): Promise<boolean> =>
      roots.isHome(root, await folder.stat({ bigint: true }));
    const place = { home, real, path, isHome };
    const file = holdsFolders ? await openHeld(place, flags) : await openCompared(place, flags);
    try {
      // The root is compared again, because it may have been swapped while the file was opened.
      homeOf(path);
      const stat = await file.stat();
      if (!stat.isFile()) throw outside(path, 'it is no regular file');
      if (stat.nlink > 1) throw outside(path, 'it has another name elsewhere, so a write would reach that file too');
      assertPermitted(holdsFolders ? await readlink(`/proc/self/fd/${file.fd}`) : real);
      return await use(file);
    } finally {
      await file.close();
    }
  };
  return {
    read: (path) =>
      opened(path, O_RDONLY, async (file) => {
        if ((await file.stat()).size > READ_MAX_BYTES)
          throw new Fault('json_too_large', `${path} is too large to read`);
        return await file.readFile();
      }),
    write: (path, content) =>
      opened(path, O_RDWR | O_CREAT, async (file) => {
        await file.truncate(0);
        await file.writeFile(content);
        await file.sync();
      }),
  };
}

const outside = (path: string, why: string): Fault =>
  new Fault('permission_denied', `the path ${JSON.stringify(path)} is refused: ${why}`);

/** The real path of a permitted folder, which may not exist yet. */
const permittedFolder = async (home: string, folder: string): Promise<string> =>
  await realpath(join(home, folder)).catch(() => join(home, folder));

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '.');
  if (path.includes('\0') || segments.length === 0 || segments.some((segment) => segment === '' || segment === '..'))
    throw outside(path, 'it is not relative to the workspace');
  return segments;
}

interface AccessOptions {
  /** Whether folders are held open on the way to a file, as Linux permits. */
  readonly holdsFolders?: boolean;
  readonly roots?: WorkspaceRoots;
}

/** A path to open, and the root of its workspace. */
interface OpenedPlace {
  readonly home: string;
  readonly real: string;
  /** The path as it was named, for messages. */
  readonly path: string;
  readonly isHome: (folder: FileHandle) => Promise<boolean>;
}

/** Opens a path folder by folder. Each folder is held open, so that a swapped one is not entered. */
async function openHeld({ home, real, path, isHome }: OpenedPlace, flags: number): Promise<FileHandle> {
  let folder = await openOr(path, home, O_RDONLY | O_DIRECTORY);
  const creates = (flags & O_CREAT) !== 0;
  try {
    if (!(await isHome(folder))) throw outside(path, 'the root of the workspace was replaced by another folder');
    for (const segment of dirname(real).slice(home.length).split(sep).filter(Boolean)) {
      const at = `/proc/self/fd/${folder.fd}/${segment}`;
      if (creates) await mkdir(at).catch(ignoreExisting);
      const next = await openOr(path, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await folder.close();
      folder = next;
    }
    return await openOr(path, `/proc/self/fd/${folder.fd}/${basename(real)}`, flags | O_NOFOLLOW | O_NONBLOCK);
  } finally {
    await folder.close();
  }
}

/** Opens a path without following a link at its end, and compares the open file with the one at the path. */
async function openCompared({ home, real, path }: OpenedPlace, flags: number): Promise<FileHandle> {
  if ((flags & O_CREAT) !== 0) {
    const folder = await realFolder(dirname(real));
    if (folder === null || !isWithin(folder, home)) throw outside(path, 'it leads out of the workspace');
    await mkdir(dirname(real), { recursive: true });
  }
  const file = await openOr(path, real, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    const [held, named, place] = [await file.stat(), await lstat(real), await realpath(real)];
    if (held.dev !== named.dev || held.ino !== named.ino || place !== real)
      throw outside(path, 'it was swapped while it was opened');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The real path of the nearest existing folder; null if it cannot be resolved. */
async function realFolder(folder: string): Promise<string | null> {
  try {
    return await realpath(folder);
  } catch (error) {
    return isCode(error, 'ENOENT') && dirname(folder) !== folder ? await realFolder(dirname(folder)) : null;
  }
}

async function openOr(path: string, at: string, flags: number): Promise<FileHandle> {
  try {
    return await open(at, flags, 0o666);
  } catch (error) {
    if (isCode(error, 'ENOENT')) throw new Fault('input_invalid', `there is no file ${JSON.stringify(path)}`);
    if (isCode(error, 'ELOOP') || isCode(error, 'ENOTDIR')) throw outside(path, 'a part of it is a link or no folder');
    throw new Fault('tool_failed', `the file ${JSON.stringify(path)} cannot be opened: ${(error as Error).message}`);
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

function ignoreExisting(error: unknown): void {
  if (!isCode(error, 'EEXIST')) throw error;
}
