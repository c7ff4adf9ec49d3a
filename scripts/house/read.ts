import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { House } from './violation.ts';

const PATTERNS = ['src/**/*.ts', 'test/**/*.ts', 'scripts/**/*.ts'];

/** Reads the real house from disk. `root` is the folder that holds package.json. */
export function readHouse(root: string): House {
  const paths = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((path) => path.split(sep).join('/'))
    .sort();
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return {
    files: new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
    packages: [...Object.keys(manifest['dependencies'] ?? {}), ...Object.keys(manifest['peerDependencies'] ?? {})],
  };
}
