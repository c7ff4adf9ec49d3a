/** Proves that looking at what a write would change never waits and never reads what is no file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { workspaceFiles } from './workspace-files.ts';

const home = mkdtempSync(join(tmpdir(), 'ambit-workspace-'));
afterAll(() => rmSync(home, { recursive: true }));

test('what is in a file is told, up to a size', () => {
  writeFileSync(join(home, 'a.txt'), 'one');
  writeFileSync(join(home, 'large.txt'), 'x'.repeat(1_048_577));
  expect(workspaceFiles.text(join(home, 'a.txt'))).toBe('one');
  expect(workspaceFiles.text(join(home, 'large.txt'))).toBeNull();
  expect(workspaceFiles.text(join(home, 'absent.txt'))).toBeNull();
});

test('a pipe that nobody writes to, a device and a folder have nothing to show, at once', () => {
  execFileSync('/usr/bin/env', ['mkfifo', join(home, 'pipe')]);
  expect(workspaceFiles.text(join(home, 'pipe'))).toBeNull();
  expect(workspaceFiles.text('/dev/zero')).toBeNull();
  expect(workspaceFiles.text(home)).toBeNull();
});

test('a folder is told from everything else', () => {
  mkdirSync(join(home, 'folder'));
  expect(workspaceFiles.isFolder(join(home, 'folder', '.'))).toBe(true);
  expect(workspaceFiles.isFolder(join(home, 'a.txt'))).toBe(false);
  expect(workspaceFiles.isFolder(join(home, 'absent'))).toBe(false);
});
