import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.git', 'dist']);

/** A copy of the tree, so that a mutant never touches the tree that people work in. */
export interface TreeCopy {
  readonly path: string;
  remove(): void;
}

/** Copies the tree to a temporary folder, with a link to the installed packages. */
export function copyTree(root: string): TreeCopy {
  const path = mkdtempSync(join(tmpdir(), 'ambit-mutants-'));
  cpSync(root, path, { recursive: true, filter: (source) => !LEFT_OUT.has(relative(root, source)) });
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  // An interrupted run leaves no copy behind.
  process.once('exit', remove);
  return {
    path,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
