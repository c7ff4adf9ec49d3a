/** Proves that tsconfig.kernel.json makes the compiler reject every platform API in the pure folders. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const PLATFORM = {
  fetch: "export const a: unknown = fetch('x');",
  process: 'export const a: unknown = process.env;',
  setTimeout: 'export const a: unknown = setTimeout(() => undefined, 1);',
  console: "console.log('x');",
  crypto: 'export const a: unknown = crypto.randomUUID();',
  structuredClone: 'export const a: unknown = structuredClone(1);',
  performance: 'export const a: unknown = performance.now();',
  'node:fs': "import * as fs from 'node:fs';\nexport const a: unknown = fs;",
};

test('the compiler rejects every platform API in a pure folder and accepts a pure file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-compiler-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    const names = Object.keys(PLATFORM);
    for (const [at, text] of Object.values(PLATFORM).entries()) writeFileSync(join(dir, `api-${at}.ts`), text);
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
    const rejected = new Set(stdout.match(/api-\d+(?=\.ts\()/g));
    expect(names.filter((_, at) => !rejected.has(`api-${at}`))).toEqual([]);
    expect(stdout).not.toContain('pure.ts');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
