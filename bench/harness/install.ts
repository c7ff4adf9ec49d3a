import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the pinned peers into bench/ if they are missing, separate from the root's dependencies. */
export function installPeers(folder: string): void {
  if (arePinned(folder)) return;
  console.error('bench: installing the pinned peers (once)');
  const { status } = spawnSync('npm', ['ci', '--prefix', folder], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the peers could not be installed; see above');
}

function arePinned(folder: string): boolean {
  const { dependencies } = manifest(folder);
  return Object.entries(dependencies ?? {}).every(([name, version]) => {
    const installed = join(folder, 'node_modules', name);
    return existsSync(join(installed, 'package.json')) && manifest(installed).version === version;
  });
}

/** Name and pinned version of each peer, for the table. */
export function pinnedPeers(folder: string): readonly string[] {
  return Object.entries(manifest(folder).dependencies ?? {}).map(([name, version]) => `${name} ${version}`);
}

function manifest(folder: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
