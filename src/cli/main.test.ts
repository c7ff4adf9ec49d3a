/** Proves that a Node.js which cannot run the program is told what brings one that can. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** The program in a process that takes itself for another Node.js. */
function startedOn(version: string): ReturnType<typeof spawnSync> {
  const other = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const imported = `data:text/javascript,${encodeURIComponent(other)}`;
  return spawnSync(process.execPath, ['--import', imported, MAIN, '--version'], { encoding: 'utf8' });
}

test.each(['20.20.2', '24.14.9'])('Node.js %s is told what it takes, and what to type', (version) => {
  const { status, stdout, stderr } = startedOn(version);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`ambit needs Node.js 24.15 or newer, and this is v${version}`);
  expect(stderr).toContain('npm install --save-dev node@24');
});

test.each(['README.md', 'docs/guides/cli.md'])('%s says the same to whoever reads first', (page) => {
  expect(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')).toContain('npm install --save-dev node@24');
});

test('from 24.15 on it starts', () => {
  expect(startedOn('24.15.0')).toMatchObject({ status: 0, stderr: '' });
});
