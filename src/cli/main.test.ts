import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Starts the program in a process that reports another Node.js version. */
function startOn(version: string): ReturnType<typeof spawnSync> {
  const other = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const imported = `data:text/javascript,${encodeURIComponent(other)}`;
  return spawnSync(process.execPath, ['--import', imported, MAIN, '--version'], { encoding: 'utf8' });
}

test.each(['20.20.2', '24.14.9'])(
  'Node.js %s is refused with the required version and the install command',
  (version) => {
    const { status, stdout, stderr } = startOn(version);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `ambit needs Node.js 24.15 or newer; this is v${version}. Install a local copy that npx uses: npm install --save-dev node@24 (without a project: npx --package node@24 --package ambit ambit …)\n`,
    );
  },
);

test.each(['README.md', 'docs/how-to/command-line.md'])('%s names the same install command', (page) => {
  expect(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')).toContain('npm install --save-dev node@24');
});

test('starts on Node.js 24.15', () => {
  expect(startOn('24.15.0')).toMatchObject({ status: 0, stderr: '' });
});
