/** Every fault code is in use: the source raises it, or it is the code of a problem or the reason of an end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULT_CODES } from '../../src/model/fault/fault-table.ts';

const SRC = new URL('../../src/', import.meta.url).pathname;

test('every code of the fault table occurs in the source', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('fault-table.ts'))
    .map((name) => readFileSync(join(SRC, name), 'utf8'));
  const silent = FAULT_CODES.filter((code) => !files.some((text) => text.includes(`'${code}'`)));
  expect(silent).toEqual([]);
});
