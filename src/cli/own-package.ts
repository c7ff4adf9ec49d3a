import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package. Both `src/cli` and `dist/cli` are two levels below it. */
export const PACKAGE_FOLDER: string = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

export function readPackageVersion(): string {
  const manifest = readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/**
 * Returns the dependency for a new project's manifest that installs this package again: a version if it came from a
 * registry, otherwise its git or file source, such as `file:../ambit-0.1.0.tgz`.
 */
export function getDependencySpec(folder: string = PACKAGE_FOLDER): string {
  const root = findInstallRoot(folder);
  const from = root === null ? null : readResolvedSource(root);
  if (root === null || from === null) return `file:${folder}`;
  if (from.startsWith('file:')) return `file:${resolve(root, from.slice('file:'.length))}`;
  return /^https?:/.test(from) && from.includes('/-/') ? readPackageVersion() : from;
}

/** Returns the project that installed this package; null for a clone. */
function findInstallRoot(folder: string): string | null {
  const modules = dirname(folder);
  return modules.endsWith('node_modules') ? dirname(modules) : null;
}

/** Reads the source of the package from the lockfile that npm keeps in `node_modules`. */
function readResolvedSource(root: string): string | null {
  const lockfile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(lockfile)) return null;
  const { packages = {} } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  return packages['node_modules/ambit']?.resolved ?? null;
}
