/** A new user's first five minutes with the packed package: init, install, test, and the commands of each README. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandResult } from './project.ts';
import { runReadme } from './readme-commands.ts';

const ROOT = realpathSync(new URL('../..', import.meta.url).pathname);
const SLOW = 600_000;

let folder = '';
let archive = '';

/** Packs a build in a folder of its own, because other tests may use `dist`. */
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ambit-packed-')));
  const own = join(folder, 'package');
  mkdirSync(own);
  for (const part of ['package.json', 'policies', 'templates', 'CHANGELOG.md', 'LICENSE']) {
    cpSync(join(ROOT, part), join(own, part), { recursive: true });
  }
  execFileSync(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(own, 'dist')],
  ]);
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: own, encoding: 'utf8' }),
  ) as readonly { readonly filename: string }[];
  archive = join(own, packed?.filename ?? '');
}, SLOW);
afterAll(() => rmSync(folder, { recursive: true, force: true }), SLOW);

function shell(cwd: string, line: string): CommandResult {
  const { ANTHROPIC_API_KEY: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const input = 'Where is order ord_881?\nAnd ord_882?\n';
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8', input, env });
  return { exit: status, out: stdout, err: stderr };
}

test.each(['chat', 'approvals', 'incident'])('the shape %s works from the archive', { timeout: SLOW }, (shape) => {
  const created = shell(folder, `npx --yes --package ${archive} ambit init ${shape} --shape ${shape}`);
  expect(created).toMatchObject({ exit: 0 });
  expect(created.err).toContain(`next: cd ${shape} && npm install\nnext: npm test\nnext: `);
  const ran = runReadme(join(folder, shape), (line) => shell(join(folder, shape), line));
  for (const { line, ...result } of ran) {
    const stops = line.startsWith('npx ambit run') && shape !== 'chat';
    expect({ line, ...result }).toMatchObject({ exit: stops ? 8 : 0 });
  }
  expect(shell(join(folder, shape), 'npx ambit doctor')).toMatchObject({ exit: 0 });
});
