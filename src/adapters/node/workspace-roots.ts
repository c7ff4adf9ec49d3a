import { closeSync, constants, fstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A folder as the file system numbers it. */
interface FolderId {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The roots of workspaces, as one runtime first found them. */
export interface WorkspaceRoots {
  /** The real path of a root; null if it does not exist, or is another folder than the one that it first was. */
  home(root: string): string | null;
  /** Whether an open folder is the one that the root first was. */
  isHome(root: string, open: FolderId): boolean;
}

/** The open folders of the process, so that the number of a removed root is not given to another folder. */
const held = new Set<string>();

/**
 * Remembers each root when it is first found. A root that is replaced by a link or by another folder would otherwise
 * move every permitted path.
 */
export function workspaceRoots(): WorkspaceRoots {
  const known = new Map<string, FolderId>();
  const isHome = (root: string, { dev, ino }: FolderId): boolean => {
    const first = known.get(resolve(root));
    return first !== undefined && first.dev === dev && first.ino === ino;
  };
  return {
    home: (root) => {
      const path = resolve(root);
      try {
        if (!known.has(path)) known.set(path, hold(path));
        const real = realpathSync(path);
        return isHome(path, statSync(real, { bigint: true })) ? real : null;
      } catch {
        return null;
      }
    },
    isHome,
  };
}

/** Keeps a folder open until the process ends, once for all runtimes. */
function hold(path: string): FolderId {
  const found = statSync(path, { bigint: true });
  if (held.has(nameOf(found))) return found;
  let folder: number;
  try {
    folder = openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  } catch {
    // Some systems open no folders; the numbers are compared there too.
    return found;
  }
  const open = fstatSync(folder, { bigint: true });
  if (held.has(nameOf(open))) closeSync(folder);
  else held.add(nameOf(open));
  return open;
}

const nameOf = ({ dev, ino }: FolderId): string => `${dev}:${ino}`;
