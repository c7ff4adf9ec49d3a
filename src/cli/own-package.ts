import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion } from './version.ts';

/** Where this package lies: the same place from the source and from what is built of it. */
export const PACKAGE: string = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** What a manifest says to have this very package: what came from a registry comes from there again, all else from here. */
export function dependencyOnThis(folder: string = PACKAGE): string {
  const root = installedIn(folder);
  const from = root === null ? null : resolvedFrom(root);
  if (root === null || from === null) return `file:${folder}`;
  if (from.startsWith('file:')) return `file:${resolve(root, from.slice('file:'.length))}`;
  return /^https?:/.test(from) && from.includes('/-/') ? packageVersion() : from;
}

/** The folder into whose `node_modules` it was installed; null for a clone. */
function installedIn(folder: string): string | null {
  const modules = dirname(folder);
  return modules.endsWith('node_modules') ? dirname(modules) : null;
}

/** What npm wrote down about where it had it from. */
function resolvedFrom(root: string): string | null {
  const lockfile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(lockfile)) return null;
  const { packages = {} } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  return packages['node_modules/ambit']?.resolved ?? null;
}
