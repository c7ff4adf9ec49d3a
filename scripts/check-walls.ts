/**
 * `npm run check:walls`: what holds the rooms apart, in three parts, and it stops at the first that finds something.
 * The house checker speaks first: it names the wall.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { optionsOf } from './command-line/read-options.ts';
import { checkHouse } from './house/check.ts';
import { readHouse } from './house/read.ts';

const HELP = `Checks the walls between the rooms: docs/architecture.md lists them, scripts/house/plan.ts is the floor plan.

Usage: npm run check:walls

  --help   this page

It prints every broken wall with its place, and exits with 1 if there is one.

Examples:
  npm run check:walls`;

const ROOT = new URL('..', import.meta.url).pathname;
const WALLS_OF_BIOME = [
  'suspicious/noImportCycles',
  'style/noRestrictedGlobals',
  'complexity/noExcessiveLinesPerFunction',
  'style/noExcessiveLinesPerFile',
];

optionsOf({ name: 'npm run check:walls', help: HELP, flags: {} });
process.exitCode = houseIsWhole() && compilerAgrees() && biomeAgrees() ? 0 : 1;

function houseIsWhole(): boolean {
  const house = readHouse(ROOT);
  const violations = checkHouse(house);
  for (const { wall, path, line, message } of violations) console.log(`${path}:${line} [${wall}] ${message}`);
  console.log(`house: ${house.files.size} files, ${violations.length} broken walls`);
  return violations.length === 0;
}

function compilerAgrees(): boolean {
  return run('typescript/bin/tsc', ['-p', 'tsconfig.kernel.json']);
}

/** `--only` wakes a rule even where the configuration exempts a file from it, and then it is a remark, not an error. */
function biomeAgrees(): boolean {
  const only = WALLS_OF_BIOME.map((rule) => `--only=${rule}`);
  return run('@biomejs/biome/bin/biome', ['lint', '--diagnostic-level=error', ...only, '.']);
}

function run(program: string, args: readonly string[]): boolean {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
