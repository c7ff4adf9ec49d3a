import { posix } from 'node:path';
import { type FileFacts, type Import, scan } from './scan.ts';
import type { Project } from './violation.ts';

/** The target of an import: a file of the repository, a package, or neither if an expression computes it. */
export interface Target extends Import {
  readonly file: string | null;
  readonly pack: string | null;
}

export interface SourceFile extends FileFacts {
  /** `kernel`, `adapters/sqlite`, `index.ts` for a file directly in src, or null outside src. */
  readonly folder: string | null;
  readonly targets: readonly Target[];
}

/** Parses every file of a project and resolves its imports. */
export function scanProject({ files }: Project): readonly SourceFile[] {
  return [...files].map(([path, text]) => {
    const facts = scan(path, text);
    return { ...facts, folder: folderOf(path), targets: resolve(facts) };
  });
}

export const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** Whether a file is part of the published package. */
export const isShipped = ({ folder, path }: Pick<SourceFile, 'folder' | 'path'>): boolean =>
  folder !== null && !isTest(path);

export function folderOf(path: string): string | null {
  const [top, first, second, ...rest] = path.split('/');
  if (top !== 'src' || first === undefined) return null;
  return first === 'adapters' && second !== undefined && rest.length > 0 ? `adapters/${second}` : first;
}

function resolve(facts: FileFacts): readonly Target[] {
  return facts.imports.map((one) => {
    const { specifier } = one;
    if (specifier === '<computed>') return { ...one, file: null, pack: null };
    if (specifier.startsWith('.') || specifier.startsWith('/')) {
      const file = posix.join(posix.dirname(facts.path), specifier);
      return { ...one, file, pack: null };
    }
    return { ...one, file: null, pack: packageOf(specifier) };
  });
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const [scope = '', name = ''] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}
