/** Calls of a public benchmark: a call that its schemas permit reaches the tool, a call that they forbid does not. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = new URL('../../scripts/check-bfcl.ts', import.meta.url).pathname;
const CASES = new URL('../fixtures/bfcl/cases.jsonl', import.meta.url).pathname;
const UNFIT_DEFAULTS = new URL('../fixtures/bfcl/unfit-defaults.jsonl', import.meta.url).pathname;

const check = (...args: readonly string[]): ReturnType<typeof spawnSync> & { readonly stdout: string } =>
  spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' }) as never;

test('accepts every valid call and refuses every invalid one', () => {
  const { status, stdout } = check('--data', CASES, '--json');
  const counts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(counts).toEqual({
    valid: expect.any(Number),
    false_rejects: 0,
    invalid: expect.any(Number),
    false_accepts: 0,
  });
  expect(counts.valid).toBeGreaterThan(5);
  expect(counts.invalid).toBeGreaterThan(20);
  expect(status).toBe(0);
});

test('ignores defaults that do not fit their own schema, and refuses them as arguments', () => {
  const { status, stdout } = check('--data', UNFIT_DEFAULTS, '--json');
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    valid: 22,
    false_rejects: 0,
    invalid: 19,
    false_accepts: 0,
  });
  expect(status, stdout).toBe(0);
});

test('names the case and fails when the data claims the opposite', () => {
  const [line = ''] = readFileSync(CASES, 'utf8').split('\n');
  const one = JSON.parse(line);
  const swapped = {
    ...one,
    gold_calls: one.invalid_calls.slice(0, 1).map(withoutVerdict),
    invalid_calls: one.gold_calls,
  };
  const path = join(mkdtempSync(join(tmpdir(), 'bfcl-')), 'swapped.jsonl');
  writeFileSync(path, `${JSON.stringify(swapped)}\n`);
  const { status, stdout } = check('--data', path, '--json');
  expect(stdout).toContain(`${one.id}: `);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ false_rejects: 1, false_accepts: 1 });
  expect(status).toBe(1);
});

const withoutVerdict = ({ jsonschema_valid: _, ...call }: { readonly jsonschema_valid?: boolean }): object => call;

test('reports a missing file in one line', () => {
  const { status, stderr } = check('--data', 'nowhere.jsonl');
  expect(status).toBe(2);
  expect(stderr).toContain('nowhere.jsonl');
});
