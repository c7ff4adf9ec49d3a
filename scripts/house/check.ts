import { type Resolved, resolve, roomOf } from './resolve.ts';
import { checkCycles } from './rules/cycles.ts';
import { checkDoors } from './rules/doors.ts';
import { checkOutside } from './rules/outside.ts';
import { checkPurity } from './rules/purity.ts';
import { checkShape } from './rules/shape.ts';
import { checkSize } from './rules/size.ts';
import { checkTests } from './rules/tests.ts';
import { scan } from './scan.ts';
import type { House, Violation } from './violation.ts';

/**
 * The walls, as one pure function: every file of the house in, every broken wall out.
 * `files` maps a path from the repository's root, such as `src/kernel/step.ts`, to its text.
 */
export function checkHouse(house: House): readonly Violation[] {
  const scanned: Resolved[] = [...house.files].map(([path, text]) => {
    const facts = scan(path, text);
    return { ...facts, room: roomOf(path), targets: resolve(facts) };
  });
  return [
    ...scanned.flatMap(checkShape),
    ...scanned.flatMap(checkDoors),
    ...scanned.flatMap((file) => checkOutside(file, house.packages)),
    ...scanned.flatMap(checkPurity),
    ...scanned.flatMap(checkTests),
    ...checkCycles(scanned),
    ...checkSize(scanned),
  ];
}
