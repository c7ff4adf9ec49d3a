import { posix } from 'node:path';
import type { FileFacts, Mention } from './scan.ts';

/** Where an import leads: a file of the repository, a package from outside, or nobody knows. */
export interface Target extends Mention {
  readonly file: string | null;
  readonly pack: string | null;
}

export interface Resolved extends FileFacts {
  /** `kernel`, `adapters/sqlite`, `index.ts` for a file directly in src, or null outside src. */
  readonly room: string | null;
  readonly targets: readonly Target[];
}

export const isTest = (path: string): boolean => path.endsWith('.test.ts');

export function roomOf(path: string): string | null {
  const [top, first, second, ...rest] = path.split('/');
  if (top !== 'src' || first === undefined) return null;
  return first === 'adapters' && second !== undefined && rest.length > 0 ? `adapters/${second}` : first;
}

export function resolve(facts: FileFacts): readonly Target[] {
  return facts.imports.map((mention) => {
    const { specifier } = mention;
    if (specifier === '<computed>') return { ...mention, file: null, pack: null };
    if (specifier.startsWith('.') || specifier.startsWith('/')) {
      const file = posix.join(posix.dirname(facts.path), specifier);
      return { ...mention, file, pack: null };
    }
    return { ...mention, file: null, pack: packageOf(specifier) };
  });
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const [scope = '', name = ''] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}
