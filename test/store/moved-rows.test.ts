/** Tests that a tenant reads no run of another tenant whose row was handed to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MOVED, readMoved } from '../attacks/moved-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-moved-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(MOVED)('a row that names another tenant shows that tenant nothing: %s', async (_, sql, read, returns) => {
  expect(await readMoved(folder, sql, read)).toEqual(returns);
});
