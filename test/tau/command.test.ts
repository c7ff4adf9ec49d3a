/** `npm run check:tau` on nine tasks that can be counted by hand. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkTau, FIXTURE } from './check-tau.ts';

const LONG = 600_000;

test(
  'every task ends in its recorded state, through its errors, and every write is there once',
  async () => {
    const { status, last, stdout } = await checkTau('--data', FIXTURE, '--json');
    expect(JSON.parse(last)).toEqual({
      tasks: 9,
      right: 9,
      writes: 8,
      duplicated: 0,
      lost: 0,
      escalated: 0,
      kills: 0,
    });
    expect(stdout).toContain('9 tasks, done once each: 9 in the recorded end state');
    expect(status).toBe(0);
  },
  LONG,
);

test(
  'killed, every task still ends in its recorded state, and nobody is asked more often than somebody must be',
  async () => {
    const { status, last, stdout } = await checkTau('--data', FIXTURE, '--kills', '12', '--seed', '3', '--json');
    const report = JSON.parse(last);
    expect(report, stdout).toMatchObject({ tasks: 9, right: 9, duplicated: 0, lost: 0, kills: 12 });
    expect(report.writes).toBeGreaterThanOrEqual(8);
    expect(status, stdout).toBe(0);
  },
  LONG,
);

test(
  'a tool that does everything twice, and one that does nothing, are both found out',
  async () => {
    const twice = await checkTau('--data', FIXTURE, '--plant', 'twice', '--json');
    // Eight changes, a transfer, and a change that changed nothing.
    expect(JSON.parse(twice.last)).toMatchObject({ tasks: 9, writes: 16, duplicated: 10, lost: 0 });
    expect(twice.stdout).toContain('done once too often');
    expect(twice.status).toBe(1);
    const lost = await checkTau('--data', FIXTURE, '--plant', 'lost', '--json');
    expect(JSON.parse(lost.last)).toMatchObject({ tasks: 9, right: 4, writes: 0, duplicated: 0, lost: 10 });
    expect(lost.stdout).toContain('the world is not as it was recorded');
    expect(lost.status).toBe(1);
    for (const { stdout } of [twice, lost]) {
      const left = /are left in (\S+)/.exec(stdout)?.[1] ?? '';
      expect(left).toContain('ambit-tau-');
      rmSync(left, { recursive: true });
    }
  },
  LONG,
);

/** A copy of the fixture that somebody has spoilt. */
function spoilt(file: string, spoil: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-spoilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(FIXTURE, folder, { recursive: true });
  writeFileSync(join(folder, file), spoil(readFileSync(join(folder, file), 'utf8')));
  return folder;
}

test(
  'what cannot be used is said in one line, with what to do about it',
  async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[], 'it was not given'],
      [['--data', 'nowhere'], 'there is no folder nowhere'],
      [['--data', import.meta.dirname], 'no file that is called <suite>_db.json'],
      [['--data', spoilt('retail_db.json', () => '{')], 'retail_db.json cannot be read'],
      [['--data', spoilt('retail_tools.json', () => '{}')], 'retail_tools.json: tools'],
      [
        ['--data', spoilt('retail_dev_tasks.json', (text) => text.replaceAll('"cancel_pending_order"', '"burn"'))],
        'calls burn',
      ],
      [['--data', FIXTURE, '--plant', 'thrice'], '--plant takes twice or lost'],
      [['--data', FIXTURE, '--kills', 'some'], '--kills takes a whole number'],
    ];
    for (const [args, told] of cases) {
      const { status, stderr } = await checkTau(...args);
      expect(stderr).toContain(told);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(status).toBe(2);
    }
  },
  LONG,
);
