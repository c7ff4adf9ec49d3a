import { ROOMS } from '../plan.ts';
import { isTest, type Resolved } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/**
 * The compiler already keeps `fetch`, `process`, timers and `node:*` out of the pure rooms (tsconfig.kernel.json).
 * What the language itself still offers and replay cannot repeat is refused here.
 */
const AMBIENT: Readonly<Record<string, string>> = {
  Date: 'time comes with the event',
  Intl: 'the result depends on the machine',
  WeakRef: 'the result depends on the garbage collector',
  FinalizationRegistry: 'the result depends on the garbage collector',
  globalThis: 'it reaches everything that is kept out',
  'Math.random': 'chance comes with the event',
};
const LOCALE = /^[^.]*\.(toLocale\w*|localeCompare)$/;

export function checkPurity(file: Resolved): readonly Violation[] {
  const isPure = file.room !== null && Object.hasOwn(ROOMS, file.room) && ROOMS[file.room]?.pure;
  if (isPure !== true || isTest(file.path)) return [];
  return file.uses.flatMap(({ name, line }) => {
    const why = refuse(name);
    const message = `${name}: ${why}`;
    return why === null ? [] : [{ wall: 'impure', path: file.path, line, message } as const];
  });
}

function refuse(name: string): string | null {
  const [base = ''] = name.split('.');
  if (Object.hasOwn(AMBIENT, name)) return AMBIENT[name] ?? null;
  if (base !== '' && Object.hasOwn(AMBIENT, base)) return AMBIENT[base] ?? null;
  if (name === 'Math' || name === 'Math.<computed>') return 'take one function of it by name';
  return LOCALE.test(name) ? 'the result depends on the machine' : null;
}
