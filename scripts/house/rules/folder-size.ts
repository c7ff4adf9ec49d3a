import { posix } from 'node:path';
import { LIMITS, UNIFORM_FOLDERS } from '../plan.ts';
import { isShipped, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

export interface FolderSize {
  readonly path: string;
  readonly files: number;
}

/** The folders of `src/` that are not uniform, with the number of files directly in each; largest first. */
export function folderSizes(files: readonly SourceFile[]): readonly FolderSize[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter(isShipped)) {
    const folder = posix.dirname(path);
    if (!Object.hasOwn(UNIFORM_FOLDERS, folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([path, count]) => ({ path, files: count })).sort((a, b) => b.files - a.files);
}

/** A folder of unlike files stays small enough to read as a list. */
export function checkFolderSize(files: readonly SourceFile[]): readonly Violation[] {
  return folderSizes(files)
    .filter((folder) => folder.files > LIMITS.folderFiles)
    .map((folder) => ({
      rule: 'folder-size',
      path: folder.path,
      line: 1,
      message: `${folder.files} files; at most ${LIMITS.folderFiles} unless UNIFORM_FOLDERS lists the folder`,
    }));
}

/** The table of a uniform folder imports every file of the folder. */
export function checkUniformFolders(files: readonly SourceFile[]): readonly Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.filter(isShipped).flatMap(({ path }): readonly Violation[] => {
    const table = UNIFORM_FOLDERS[posix.dirname(path)];
    if (table === undefined || table === path) return [];
    const isListed = byPath.get(table)?.targets.some(({ file }) => file === path) ?? false;
    return isListed ? [] : [{ rule: 'uniform-folder', path, line: 1, message: `${table} does not import it` }];
  });
}
