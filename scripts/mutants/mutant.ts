import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readLines } from '../command-line/read-cases.ts';

/** A one-line break of `src/` that a test of the requirement must notice. */
export interface Mutant {
  /** The requirement. */
  readonly id: string;
  /** The source file that the mutant changes. */
  readonly file: string;
  /** The anchor: a part of one line that occurs once in the file. */
  readonly from: string;
  /** The text that replaces the anchor. */
  readonly to: string;
  /** The test file with the fastest test that cites the requirement. */
  readonly test: string;
}

const MUTANT: z.ZodType<Mutant> = z.strictObject({
  id: z.string().min(1),
  file: z.string().regex(/^src\/.+(?<!\.test)\.ts$/),
  from: z.string().regex(/^[^\n]+$/),
  to: z.string(),
  test: z.string().regex(/^(?:src|test)\/.+\.test\.ts$/),
});

/** All stored mutants and the faults of the files that hold them. `root` is the tree they belong to. */
export function readMutants(root: string): { readonly mutants: readonly Mutant[]; readonly faults: readonly string[] } {
  const folder = join(root, 'test/mutants');
  const mutants: Mutant[] = [];
  const faults: string[] = [];
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl'))) {
    const area = basename(name, '.jsonl');
    const read = readLines(MUTANT, join(folder, name));
    if (typeof read === 'string') faults.push(`test/mutants/${name}: ${read}`);
    else {
      mutants.push(...read);
      for (const { id } of read)
        if (!id.startsWith(`${area}:`))
          faults.push(`test/mutants/${name}: the mutant of "${id}" belongs to another file`);
    }
  }
  return { mutants, faults };
}

/** The faults of mutants: an anchor that is gone or ambiguous, a test that is gone or does not cite the id. */
export function faultsOf(mutants: readonly Mutant[], root: string): readonly string[] {
  const seen = new Set<string>();
  return mutants.flatMap((mutant) => {
    const faults = [mutate(textOf(root, mutant.file), mutant).fault, citationFault(mutant, textOf(root, mutant.test))];
    if (seen.has(mutant.id)) faults.push(`"${mutant.id}" has two mutants; keep one`);
    seen.add(mutant.id);
    return faults.filter((fault) => fault !== null);
  });
}

/** The source with the mutant in place, or the reason why the mutant does not fit. */
export function mutate(
  source: string | null,
  { id, file, from, to }: Mutant,
): { readonly text: string; readonly fault: null } | { readonly text: null; readonly fault: string } {
  const broken = (why: string): { readonly text: null; readonly fault: string } => ({
    text: null,
    fault: `the mutant of "${id}" does not fit: ${why}`,
  });
  if (source === null) return broken(`${file} does not exist`);
  const parts = source.split(from);
  if (parts.length === 1) return broken(`${file} does not contain ${JSON.stringify(from)}; update its anchor`);
  if (parts.length > 2) return broken(`${file} contains ${JSON.stringify(from)} more than once; use a longer anchor`);
  const text = parts.join(to);
  return text === source ? broken('it changes nothing') : { text, fault: null };
}

function citationFault({ id, test }: Mutant, text: string | null): string | null {
  if (text === null) return `the mutant of "${id}" does not fit: ${test} does not exist`;
  return text.includes(`'${id}'`) ? null : `the mutant of "${id}" does not fit: ${test} does not cite it`;
}

function textOf(root: string, file: string): string | null {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return null;
  }
}
