import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Project } from './violation.ts';

const PATTERNS = [
  'src/**/*.ts',
  'test/**/*.ts',
  'scripts/**/*.ts',
  'examples/*.ts',
  'examples/*/src/**/*.ts',
  'templates/**/*.ts',
];

/** Reads the repository from disk. `root` is the folder that holds package.json. */
export function readProject(root: string, patterns: readonly string[] = PATTERNS): Project {
  const paths = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
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
