/** Proves what a new project says to have this very package, however that came to where it lies. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dependencyOnThis } from './own-package.ts';
import { packageVersion } from './version.ts';

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

test('a clone, and what nobody wrote down, is taken from where it lies', () => {
  expect(dependencyOnThis(join(root, 'clone'))).toBe(`file:${join(root, 'clone')}`);
  expect(dependencyOnThis(installed)).toBe(`file:${installed}`);
});

test('a packed file is taken again, from wherever the new project is', () => {
  installedFrom('file:../packed/ambit-0.1.0.tgz');
  expect(dependencyOnThis(installed)).toBe(`file:${join(root, '..', 'packed', 'ambit-0.1.0.tgz')}`);
});

test('what came from a registry comes from there again, in this version', () => {
  installedFrom('https://registry.example/ambit/-/ambit-0.1.0.tgz');
  expect(dependencyOnThis(installed)).toBe(packageVersion());
  installedFrom('git+ssh://git@example.com/ambit.git#4f2');
  expect(dependencyOnThis(installed)).toBe('git+ssh://git@example.com/ambit.git#4f2');
});
