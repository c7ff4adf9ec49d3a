import { FOLDERS } from '../plan.ts';
import { isTest, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/**
 * Globals of the language that replay cannot repeat, with the reason. The compiler already rejects `fetch`, `process`,
 * timers and `node:*` in the pure folders (tsconfig.kernel.json).
 */
const AMBIENT: Readonly<Record<string, string>> = {
  Date: 'time comes with the event',
  Intl: 'the result depends on the machine',
  WeakRef: 'the result depends on the garbage collector',
  FinalizationRegistry: 'the result depends on the garbage collector',
  globalThis: 'it gives access to every other global',
  'Math.random': 'randomness comes with the event',
};
const LOCALE = /^[^.]*\.(toLocale\w*|localeCompare)$/;

export function checkPurity(file: SourceFile): readonly Violation[] {
  const isPure = file.folder !== null && Object.hasOwn(FOLDERS, file.folder) && FOLDERS[file.folder]?.pure;
  if (isPure !== true || isTest(file.path)) return [];
  return file.uses.flatMap(({ name, line }) => {
    const why = refuse(name);
    const message = `${name}: ${why}`;
    return why === null ? [] : [{ rule: 'impure', path: file.path, line, message } as const];
  });
}

function refuse(name: string): string | null {
  const [base = ''] = name.split('.');
  if (Object.hasOwn(AMBIENT, name)) return AMBIENT[name] ?? null;
  if (base !== '' && Object.hasOwn(AMBIENT, base)) return AMBIENT[base] ?? null;
  if (name === 'Math' || name === 'Math.<computed>') return 'name the function, such as Math.max';
  return LOCALE.test(name) ? 'the result depends on the machine' : null;
}
