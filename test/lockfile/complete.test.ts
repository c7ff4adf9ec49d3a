/** `npm run lock` adds the packages that a partial mirror left out; this repository's lockfile needs none. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { completeEntries } from '../../scripts/lockfile/complete.ts';

const tool = (version: string): object => ({
  version,
  dev: true,
  optionalDependencies: { '@tool/cli-linux-x64-musl': version, '@tool/cli-win32-arm64': version },
});

test('adds a missing binary next to its parent, for the platform in its name', () => {
  const there = { version: '1.0.0', cpu: ['x64'], libc: ['musl'], os: ['linux'] };
  const places = { 'node_modules/tool': tool('1.0.0'), 'node_modules/@tool/cli-linux-x64-musl': there };
  expect(completeEntries(places)).toEqual({
    ...places,
    'node_modules/@tool/cli-win32-arm64': {
      version: '1.0.0',
      dev: true,
      optional: true,
      os: ['win32'],
      cpu: ['arm64'],
    },
  });
});

test('adds separate binaries for a second version deeper in the tree', () => {
  const places = { 'node_modules/tool': tool('1.0.0'), 'node_modules/a/node_modules/tool': tool('2.0.0') };
  const added = Object.entries(completeEntries(places)).map(([place, { version }]) => `${place} ${version}`);
  expect(added).toEqual([
    'node_modules/@tool/cli-linux-x64-musl 1.0.0',
    'node_modules/@tool/cli-win32-arm64 1.0.0',
    'node_modules/a/node_modules/@tool/cli-linux-x64-musl 2.0.0',
    'node_modules/a/node_modules/@tool/cli-win32-arm64 2.0.0',
    'node_modules/a/node_modules/tool 2.0.0',
    'node_modules/tool 1.0.0',
  ]);
});

test('rejects a package name without a platform instead of guessing', () => {
  const places = { 'node_modules/tool': { optionalDependencies: { extra: '1.0.0' } } };
  expect(() => completeEntries(places)).toThrow('unknown platform of extra');
});

test("this repository's lockfile is complete", () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  expect(Object.keys(completeEntries(packages))).toEqual(Object.keys(packages));
});
