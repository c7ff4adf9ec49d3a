import { LOADER, ROOMS } from '../plan.ts';
import { isTest, type Resolved } from '../resolve.ts';
import type { Violation } from '../violation.ts';

/** What a room may take from outside the house, and that a user really gets it. */
export function checkOutside(file: Resolved, packages: readonly string[]): readonly Violation[] {
  if (file.room === null || isTest(file.path)) return [];
  const { path, room } = file;
  const allowed = Object.hasOwn(ROOMS, room) ? ROOMS[room]?.outside : undefined;
  return file.targets.flatMap(({ specifier, line, file: inside, pack }): Violation[] => {
    if (inside !== null) return [];
    if (pack === null && path === LOADER) return [];
    if (pack === null) return [{ wall: 'computed-import', path, line, message: 'import by a literal name' }];
    const name = pack.startsWith('node:') ? 'node:' : pack;
    if (allowed !== undefined && !allowed.includes(name)) {
      const list = allowed.join(', ') || 'nothing';
      const message = `${room} may not use ${specifier} (from outside it may use: ${list})`;
      return [{ wall: 'outside', path, line, message }];
    }
    if (name === 'node:' || packages.includes(name)) return [];
    const message = `${name} is neither a dependency nor a peer dependency`;
    return [{ wall: 'undeclared', path, line, message }];
  });
}
