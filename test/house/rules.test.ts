/**
 * Proves the checker: each case breaks one rule in a small project, and a second project that keeps the rule shows that
 * the checker does not reject everything.
 */
import { describe, expect, test } from 'vitest';
import { checkProject } from '../../scripts/house/check.ts';
import { RULES } from '../../scripts/house/violation.ts';
import type { Files } from './case.ts';
import { IMPORT_CASES } from './import-cases.ts';
import { SHAPE_CASES } from './shape-cases.ts';

const PACKAGES = ['zod', 'ajv', '@scope/kept'];
const CASES = [...IMPORT_CASES, ...SHAPE_CASES];

function violations(files: Files): readonly string[] {
  const found = checkProject({ files: new Map(Object.entries(files)), packages: PACKAGES });
  return found.map(({ rule, path, line }) => `${rule} ${path}:${line}`);
}

describe('a broken rule is reported', () => {
  test.each(CASES)('$rule: $title', ({ rule, broken, at, kept }) => {
    expect(violations(broken)).toEqual(at.map((place) => `${rule} ${place}`));
    expect(violations(kept).filter((found) => found.startsWith(`${rule} `))).toEqual([]);
  });

  test('every rule has a case', () => {
    expect(new Set(CASES.map(({ rule }) => rule))).toEqual(new Set(RULES));
  });
});
