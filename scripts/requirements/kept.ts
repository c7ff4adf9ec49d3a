import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kept, Settlement } from './settle.ts';

const PROVEN = fileURLToPath(new URL('../../test/requirements/proven.txt', import.meta.url));
const CITING_TESTS = fileURLToPath(new URL('../../test/requirements/citing-tests.txt', import.meta.url));

/** Reads the proven ids and their numbers of citing tests, and the ids that the git history once listed as proven. */
export function readKept(): Kept {
  return {
    proven: readLines(PROVEN),
    everProven: everProven(),
    citingTests: new Map(
      readLines(CITING_TESTS).map((line) => {
        const [id = '', count] = line.split(' ');
        return [id, Number(count)];
      }),
    ),
  };
}

/** Adds newly proven ids and higher numbers of citing tests. Neither file loses a line and no number falls. */
export function extendKept(kept: Kept, { fresh, citingTests }: Settlement): void {
  const proven = [...new Set([...kept.proven, ...fresh])].sort();
  writeLines(PROVEN, proven);
  writeLines(
    CITING_TESTS,
    proven.map((id) => `${id} ${Math.max(kept.citingTests.get(id) ?? 0, citingTests.get(id) ?? 0)}`),
  );
}

/** Every line that a commit of this history added to the list. Empty without git, as in an unpacked archive. */
function everProven(): readonly string[] {
  const args = ['log', '--format=', '--no-color', '--unified=0', '--patch', '--', PROVEN];
  const { status, stdout } = spawnSync('git', args, { cwd: dirname(PROVEN), encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) return [];
  const added = stdout.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++'));
  return [...new Set(added.map((line) => line.slice(1)))].filter(Boolean);
}

const readLines = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);

const writeLines = (file: string, lines: readonly string[]): void =>
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
