/** Tests that reading a file before it is overwritten never blocks and never reads anything but regular files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { workspaceFiles } from './workspace-files.ts';

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

test('recognizes a folder', () => {
  mkdirSync(join(home, 'folder'));
  expect(workspaceFiles.isFolder(join(home, 'folder', '.'))).toBe(true);
  expect(workspaceFiles.isFolder(join(home, 'a.txt'))).toBe(false);
  expect(workspaceFiles.isFolder(join(home, 'absent'))).toBe(false);
});
