/** Proves that tsconfig.kernel.json makes the compiler itself refuse the world to the pure rooms. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const WORLD = {
  fetch: "export const a: unknown = fetch('x');",
  process: 'export const a: unknown = process.env;',
  setTimeout: 'export const a: unknown = setTimeout(() => undefined, 1);',
  console: "console.log('x');",
  crypto: 'export const a: unknown = crypto.randomUUID();',
  structuredClone: 'export const a: unknown = structuredClone(1);',
  performance: 'export const a: unknown = performance.now();',
  'node:fs': "import * as fs from 'node:fs';\nexport const a: unknown = fs;",
};

test('the compiler refuses every way out of a pure room, and accepts a pure file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-wall-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    const names = Object.keys(WORLD);
    for (const [at, text] of Object.values(WORLD).entries()) writeFileSync(join(dir, `world-${at}.ts`), text);
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, 'pure.ts'), 'export const a: number = Math.max(1, 2);\n');
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.kernel.json'),
        compilerOptions: { rootDir: '.' },
        include: ['*.ts'],
      }),
    );
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', dir, '--pretty', 'false'], { encoding: 'utf8' });
    const refused = new Set(stdout.match(/world-\d+(?=\.ts\()/g));
    expect(names.filter((_, at) => !refused.has(`world-${at}`))).toEqual([]);
    expect(stdout).not.toContain('pure.ts');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
