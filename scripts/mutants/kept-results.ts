import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutant.ts';
import type { Outcome } from './run-mutants.ts';

/** The mutants that an interrupted run has killed, kept beside the installed packages. */
export interface KeptResults {
  has(mutant: Mutant): boolean;
  keep(outcome: Outcome): void;
}

/** Results are kept by the content of source and tests: after any change, every mutant runs again. */
export function keptResults(root: string): KeptResults {
  const file = join(root, 'node_modules/.cache/mutants.txt');
  const tree = treeHash(root);
  const kept = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  const keyOf = (mutant: Mutant): string => hash([tree, JSON.stringify(mutant)]);
  return {
    has: (mutant) => kept.has(keyOf(mutant)),
    keep: ({ mutant, state }) => {
      if (state !== 'killed') return;
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${keyOf(mutant)}\n`);
    },
  };
}

function treeHash(root: string): string {
  const files = globSync(['{src,test,scripts}/**/*.*', '*.{json,ts}'], { cwd: root })
    .filter((file) => !file.startsWith('test/mutants/'))
    .sort();
  return hash(files.flatMap((file) => [file, readFileSync(join(root, file))]));
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\n');
  return digest.digest('hex');
}
