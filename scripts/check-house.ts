/**
 * `npm run check:house`: checks the architecture in three parts and stops at the first part with a violation. The house
 * checker comes first because its messages name the rule.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { optionsOf } from './command-line/read-options.ts';
import { checkProject } from './house/check.ts';
import { readProject } from './house/read.ts';

const HELP = `Checks the rules of docs/architecture.md on imports, sizes and names. The tables are in scripts/house/plan.ts.

Usage: npm run check:house

  --help   print this help

Prints every violation as path:line [rule] message, and exits with 1 if there is one.

Examples:
  npm run check:house`;

const ROOT = new URL('..', import.meta.url).pathname;
const BIOME_RULES = ['suspicious/noImportCycles', 'style/noRestrictedGlobals', 'style/noExcessiveLinesPerFile'];

optionsOf({ name: 'npm run check:house', help: HELP, flags: {} });
process.exitCode = houseAgrees() && compilerAgrees() && biomeAgrees() ? 0 : 1;

function houseAgrees(): boolean {
  const project = readProject(ROOT);
  const violations = checkProject(project);
  for (const { rule, path, line, message } of violations) console.log(`${path}:${line} [${rule}] ${message}`);
  console.log(`house: ${project.files.size} files, ${violations.length} violations`);
  return violations.length === 0;
}

function compilerAgrees(): boolean {
  return run('typescript/bin/tsc', ['-p', 'tsconfig.kernel.json']);
}

/** `--only` enables a rule even for exempted files, but only as a warning, which the diagnostic level hides. */
function biomeAgrees(): boolean {
  const only = BIOME_RULES.map((rule) => `--only=${rule}`);
  return run('@biomejs/biome/bin/biome', ['lint', '--diagnostic-level=error', ...only, '.']);
}

function run(program: string, args: readonly string[]): boolean {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
