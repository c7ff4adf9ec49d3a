import { isTest, type SourceFile } from '../resolve.ts';
import type { Violation } from '../violation.ts';

const MOCKS = new Set(['vi.mock', 'vi.doMock', 'vi.hoisted', 'vi.importMock', 'vitest.mock']);
const SLEEPS = new Set(['setTimeout', 'globalThis.setTimeout', 'timers.setTimeout', 'Atomics.wait']);

/** Tests use real modules, scripted doubles and simulated time. */
export function checkTests(file: SourceFile): readonly Violation[] {
  if (!isTest(file.path)) return [];
  const { path } = file;
  const used = file.uses.flatMap(({ name, line }): Violation[] => {
    if (MOCKS.has(name))
      return [{ rule: 'module-mock', path, line, message: `${name}: pass a scripted double instead` }];
    if (SLEEPS.has(name)) return [{ rule: 'sleep', path, line, message: `${name}: use the simulated clock` }];
    return [];
  });
  const timers = file.targets.filter(({ pack }) => pack?.startsWith('node:timers'));
  return [
    ...used,
    ...timers.map(
      ({ specifier, line }) =>
        ({ rule: 'sleep', path, line, message: `${specifier}: use the simulated clock` }) as const,
    ),
  ];
}
