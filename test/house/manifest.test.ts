/** Proves that the manifests pin exact versions, name no registry address and allow only reviewed install scripts. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest: Record<string, Record<string, string>> = JSON.parse(read('package.json'));

test('the lockfile pins by version and hash and names no address', () => {
  const lock = read('package-lock.json');
  expect(lock.match(/"resolved": "https?:[^"]*"/g) ?? []).toEqual([]);
  expect(lock.match(/"integrity": "sha512-/g)?.length).toBeGreaterThan(50);
});

test('every dependency has an exact version', () => {
  const all = { ...manifest['dependencies'], ...manifest['devDependencies'] };
  const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
});

test('only the Node.js binary may run an install script', () => {
  expect(manifest['allowScripts']).toEqual({ node: true });
});
