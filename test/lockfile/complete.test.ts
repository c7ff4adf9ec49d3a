/** Proves that `npm run lock` adds what a partial mirror left out, and that this repository's lockfile needs nothing. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { completePlaces } from '../../scripts/lockfile/complete.ts';

const tool = (version: string): object => ({
  version,
  dev: true,
  optionalDependencies: { '@tool/cli-linux-x64-musl': version, '@tool/cli-win32-arm64': version },
});

test('a missing binary is added beside its parent, for the platform in its name', () => {
  const there = { version: '1.0.0', cpu: ['x64'], libc: ['musl'], os: ['linux'] };
  const places = { 'node_modules/tool': tool('1.0.0'), 'node_modules/@tool/cli-linux-x64-musl': there };
  expect(completePlaces(places)).toEqual({
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

test('a second version deeper in the tree gets binaries of its own', () => {
  const places = { 'node_modules/tool': tool('1.0.0'), 'node_modules/a/node_modules/tool': tool('2.0.0') };
  const added = Object.entries(completePlaces(places)).map(([place, { version }]) => `${place} ${version}`);
  expect(added).toEqual([
    'node_modules/@tool/cli-linux-x64-musl 1.0.0',
    'node_modules/@tool/cli-win32-arm64 1.0.0',
    'node_modules/a/node_modules/@tool/cli-linux-x64-musl 2.0.0',
    'node_modules/a/node_modules/@tool/cli-win32-arm64 2.0.0',
    'node_modules/a/node_modules/tool 2.0.0',
    'node_modules/tool 1.0.0',
  ]);
});

test('a name that states no platform is not guessed', () => {
  const places = { 'node_modules/tool': { optionalDependencies: { extra: '1.0.0' } } };
  expect(() => completePlaces(places)).toThrow('cannot tell the platform of extra');
});

test('the lockfile of this repository is complete', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  expect(Object.keys(completePlaces(packages))).toEqual(Object.keys(packages));
});
