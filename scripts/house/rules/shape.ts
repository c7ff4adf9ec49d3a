import { posix } from 'node:path';
import type { Resolved } from '../resolve.ts';
import type { Violation } from '../violation.ts';

const FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|test-d|case|examples|config|d))?\.ts$/;

/** One name style, one export style: a reader and a `git grep` find every name where it is made. */
export function checkShape(file: Resolved): readonly Violation[] {
  const { path } = file;
  const found: Violation[] = file.unparsed.map((message) => ({
    wall: 'unparsed',
    path,
    line: 1,
    message,
  }));
  const folders = posix.dirname(path).split('/');
  if (!FILE.test(posix.basename(path)) || !folders.every((name) => name === '.' || FOLDER.test(name)))
    found.push({ wall: 'file-name', path, line: 1, message: 'file and folder names are kebab-case' });
  if (!path.endsWith('.config.ts'))
    for (const line of file.defaultExports)
      found.push({ wall: 'default-export', path, line, message: 'export it by name' });
  for (const line of file.starExports)
    found.push({ wall: 'star-export', path, line, message: 'list the exported names' });
  return found;
}
