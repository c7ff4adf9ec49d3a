import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './markdown.ts';
import { writeTemplate } from './run-page.ts';

interface Block {
  /** The file: a folder for each page, so that a program can import another one of its page. */
  readonly name: string;
  readonly code: string;
}

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const CACHE = join(ROOT, 'node_modules/.cache');

/**
 * Compiles blocks as strictly as the source, and returns the compiler's complaints. `ambit` means the source, so that a
 * page cannot describe an old API. A page may show an inferred export and leave a name unused. `../test/` is a folder of
 * the repository.
 */
export function compile(blocks: readonly Block[]): readonly string[] {
  mkdirSync(CACHE, { recursive: true });
  const dir = mkdtempSync(join(CACHE, 'snippets-'));
  try {
    for (const { name, code } of blocks) {
      const file = join(dir, 'page', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code.replaceAll("from '../test/", `from '${relative(dirname(file), ROOT)}/test/`));
    }
    for (const folder of new Set(blocks.map(({ name }) => name.split('/').slice(0, -1)[0] ?? '.'))) {
      writeTemplate(join(dir, 'page', folder, 'src'));
    }
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(settings()));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', dir, '--pretty', 'false'], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

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
        '@ai-sdk/react': [join(ROOT, 'test/docs/ai-sdk-react/index.ts')],
        ambit: [join(ROOT, 'src/index.ts')],
        'ambit/*': [join(ROOT, 'src/*.ts'), join(ROOT, 'src/*/index.ts'), join(ROOT, 'src/adapters/*/index.ts')],
      },
    },
    include: ['page/**/*.ts'],
  };
}
