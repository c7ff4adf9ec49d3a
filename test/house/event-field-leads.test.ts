/** Proves that the compiler rejects an event whose type and schema differ, whichever of the two was changed. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const FILE = 'src/model/events/step-events.ts';

/** The change, in the type (the first occurrence of the event in the file) or in the schema (the last occurrence). */
const CHANGES = [
  ['step_committed', 'type', 'call_id', 'readonly added?: string; readonly call_id'],
  ['step_attempted', 'type', 'call_id', 'readonly added: string; readonly call_id'],
  ['step_verified', 'schema', 'call_id', 'added: Name.exactOptional(), call_id'],
  ['step_refused', 'schema', 'step_id', 'added: Name, step_id'],
  ['step_probed', 'schema', 'as_expected: z.boolean()', 'as_expected: z.number()'],
  ['call_reconciled', 'schema', 'refused: ProbeRefusal.exactOptional()', 'refused: ProbeRefusal'],
] as const;

/** Compiles the model with a changed file; the lines of that file at which the compiler reports an error. */
function errorLines(text: string): readonly number[] {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-event-'));
  try {
    cpSync(join(root, 'src/model'), join(dir, 'src/model'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, FILE), text);
    const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions: { types: [] }, files: [FILE] };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', dir, '--pretty', 'false'], {
      encoding: 'utf8',
      cwd: dir,
    });
    return [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, line]) => {
      expect(file).toBe(FILE);
      return Number(line);
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

test('a field that only the type or only the schema of an event has is an error at that event', () => {
  const text = readFileSync(join(root, FILE), 'utf8');
  expect(errorLines(text)).toEqual([]);
  const changed = CHANGES.reduce((before, [event, where, from, to]) => {
    const start = where === 'type' ? before.indexOf(`\n  ${event}: {`) : before.lastIndexOf(`\n  ${event}: {`);
    const place = before.indexOf(from, start);
    const keyword = where === 'type' ? 'readonly '.length : 0;
    return before.slice(0, place - keyword) + to + before.slice(place + from.length);
  }, text);
  const errors = errorLines(changed);
  const silent = CHANGES.filter(([event]) => {
    const start = changed.lastIndexOf(`\n  ${event}: {`) + 1;
    const end = changed.indexOf('\n  },', start);
    return !errors.some((line) => line >= lineAt(changed, start) && line <= lineAt(changed, end));
  });
  expect(silent).toEqual([]);
});
