/** `npm run requirements -- --thin` over all test files of the project. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/check-requirements.ts', import.meta.url));

test('--thin loads the test files without running them', () => {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, '--thin', '--json'], { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  const { thin }: { thin: readonly string[] } = JSON.parse(lines.at(-1) ?? '');
  expect(status).toBe(0);
  expect(lines.flatMap((line) => line.match(/^thin (\S+) {2}src\//)?.[1] ?? [])).toEqual(thin);
  expect(thin).not.toContain('approval:destructive:no-bypass');
  expect(lines.at(-2)).toBe(`requirements: ${thin.length} cited only by unit tests`);
});
