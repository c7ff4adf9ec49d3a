/** Tests that reading a file before it is overwritten never blocks and never reads anything but regular files. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { workspaceFiles as filesOfRuntime } from './workspace-files.ts';

const workspaceFiles = filesOfRuntime();

const home = mkdtempSync(join(tmpdir(), 'ambit-workspace-'));
afterAll(() => rmSync(home, { recursive: true }));

test('returns the text of a file up to a size limit', () => {
  writeFileSync(join(home, 'a.txt'), 'one');
  writeFileSync(join(home, 'large.txt'), 'x'.repeat(1_048_577));
  expect(workspaceFiles.text(join(home, 'a.txt'))).toBe('one');
  expect(workspaceFiles.text(join(home, 'large.txt'))).toBeNull();
  expect(workspaceFiles.text(join(home, 'absent.txt'))).toBeNull();
});

test('returns null at once for a pipe without a writer, a device and a folder', () => {
  execFileSync('/usr/bin/env', ['mkfifo', join(home, 'pipe')]);
  expect(workspaceFiles.text(join(home, 'pipe'))).toBeNull();
  expect(workspaceFiles.text('/dev/zero')).toBeNull();
  expect(workspaceFiles.text(home)).toBeNull();
});

test('identifies a file of any size without reading more than the first bytes', () => {
  const sparse = join(home, 'sparse.bin');
  writeFileSync(sparse, '');
  truncateSync(sparse, 2 ** 40);
  const before = workspaceFiles.digest(sparse);
  expect(before).toMatch(/^stat:/);
  expect(workspaceFiles.digest(sparse)).toBe(before);
  truncateSync(sparse, 2 ** 40 + 1);
  expect(workspaceFiles.digest(sparse)).not.toBe(before);
  expect(workspaceFiles.digest(join(home, 'a.txt'))).toBe(`sha256:${hash('sha256', 'one', 'hex')}`);
  expect(workspaceFiles.digest(join(home, 'absent.txt'))).toBeNull();
});

test('recognizes what is neither a file nor a folder', () => {
  expect(workspaceFiles.isSpecial('/dev/zero')).toBe(true);
  expect(workspaceFiles.isSpecial(join(home, 'pipe'))).toBe(true);
  for (const path of [home, join(home, 'a.txt'), join(home, 'absent')])
    expect(workspaceFiles.isSpecial(path)).toBe(false);
});

test('recognizes a folder', () => {
  mkdirSync(join(home, 'folder'));
  expect(workspaceFiles.isFolder(join(home, 'folder', '.'))).toBe(true);
  expect(workspaceFiles.isFolder(join(home, 'a.txt'))).toBe(false);
  expect(workspaceFiles.isFolder(join(home, 'absent'))).toBe(false);
});
