import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getDependencySpec, readPackageVersion } from './own-package.ts';

let root = '';
let installed = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ambit-own-'));
  installed = join(root, 'node_modules', 'ambit');
  mkdirSync(installed, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const installedFrom = (resolved: string): void =>
  writeFileSync(
    join(root, 'node_modules', '.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/ambit': { resolved } } }),
  );

test('uses the folder of a clone, and of a package without a lockfile entry', () => {
  expect(getDependencySpec(join(root, 'clone'))).toBe(`file:${join(root, 'clone')}`);
  expect(getDependencySpec(installed)).toBe(`file:${installed}`);
});

test('uses the absolute path of a packed file', () => {
  installedFrom('file:../packed/ambit-0.1.0.tgz');
  expect(getDependencySpec(installed)).toBe(`file:${join(root, '..', 'packed', 'ambit-0.1.0.tgz')}`);
});

test('uses the version of a registry package and the URL of a git package', () => {
  installedFrom('https://registry.example/ambit/-/ambit-0.1.0.tgz');
  expect(getDependencySpec(installed)).toBe(readPackageVersion());
  installedFrom('git+ssh://git@example.com/ambit.git#4f2');
  expect(getDependencySpec(installed)).toBe('git+ssh://git@example.com/ambit.git#4f2');
});
