import { posix } from 'node:path';
import type { SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

const FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|deep\.test|test-d|case|examples|config|d))?\.ts$/;

/** Files and exports follow one naming style, so that `git grep` finds every name at its declaration. */
export function checkShape(file: SourceFile): readonly Violation[] {
  const { path } = file;
  const found: Violation[] = file.syntaxErrors.map((message) => ({
    rule: 'syntax',
    path,
    line: 1,
    message,
  }));
  const folders = posix.dirname(path).split('/');
  if (!FILE.test(posix.basename(path)) || !folders.every((name) => name === '.' || FOLDER.test(name)))
    found.push({ rule: 'file-name', path, line: 1, message: 'file and folder names are kebab-case' });
  if (!path.endsWith('.config.ts'))
    for (const line of file.defaultExports)
      found.push({ rule: 'default-export', path, line, message: 'export it by name' });
  for (const line of file.starExports)
    found.push({ rule: 'star-export', path, line, message: 'list the exported names' });
  return found;
}
