import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './markdown.ts';

interface Block {
  readonly name: string;
  readonly code: string;
}

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const CACHE = join(ROOT, 'node_modules/.cache');

/**
 * Compiles blocks as strictly as the source, and returns the compiler's complaints. `ambit` means the source, so that a
 * page cannot describe an old API. A page may show an inferred export and leave a name unused.
 */
export function compile(blocks: readonly Block[]): readonly string[] {
  mkdirSync(CACHE, { recursive: true });
  const dir = mkdtempSync(join(CACHE, 'snippets-'));
  try {
    mkdirSync(join(dir, 'page'));
    for (const { name, code } of blocks) writeFileSync(join(dir, 'page', name), fromRoot(code));
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(settings()));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', dir, '--pretty', 'false'], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A page writes `./` or `../` for the root of the repository, as a file there or in one of its folders would. */
const fromRoot = (code: string): string => code.replaceAll(/from '\.\.?\//g, "from '../../../../");

function settings(): object {
  return {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      types: ['node'],
      rootDir: ROOT,
      declaration: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      paths: {
        ambit: [join(ROOT, 'src/index.ts')],
        'ambit/*': [join(ROOT, 'src/*.ts'), join(ROOT, 'src/*/index.ts'), join(ROOT, 'src/adapters/*/index.ts')],
      },
    },
    include: ['page/*.ts'],
  };
}
