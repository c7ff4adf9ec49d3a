import type { TestCase } from 'vitest/node';
import type { Citation } from './report.ts';

/** The citation of a test, or nothing if the test cites no requirement. */
export function citationOf(one: TestCase): readonly Citation[] {
  const { requirements, matchers } = one.meta();
  if (requirements === undefined) return [];
  const test = `${one.module.relativeModuleId} > ${one.fullName}`;
  return [{ ids: requirements, test, state: one.result().state, matchers: matchers ?? 0 }];
}
