/** `npm run check:tau` on nine tasks, which are few enough to count by hand. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkTau, FIXTURE } from './check-tau.ts';

const LONG = 600_000;

test(
  'every task ends in its recorded state, despite tool errors, with every write once',
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
    expect(stdout).toContain('9 tasks, performed once each: 9 with the recorded end state');
    expect(status).toBe(0);
  },
  LONG,
);

test(
  'every task ends in its recorded state despite kills, without needless escalations',
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
  'detects a tool that writes twice and a tool that writes nothing',
  async () => {
    const twice = await checkTau('--data', FIXTURE, '--plant', 'twice', '--json');
    // Eight changes, a transfer, and a change without a difference.
    expect(JSON.parse(twice.last)).toMatchObject({ tasks: 9, writes: 16, duplicated: 10, lost: 0 });
    expect(twice.stdout).toContain('writes duplicated');
    expect(twice.status).toBe(1);
    const lost = await checkTau('--data', FIXTURE, '--plant', 'lost', '--json');
    expect(JSON.parse(lost.last)).toMatchObject({ tasks: 9, right: 4, writes: 0, duplicated: 0, lost: 10 });
    expect(lost.stdout).toContain('the world differs from the recorded one');
    expect(lost.status).toBe(1);
    for (const { stdout } of [twice, lost]) {
      const left = /are kept in (\S+)/.exec(stdout)?.[1] ?? '';
      expect(left).toContain('ambit-tau-');
      rmSync(left, { recursive: true });
    }
  },
  LONG,
);

/** A copy of the fixture with one damaged file. */
function damagedCopy(file: string, spoil: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-spoilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(FIXTURE, folder, { recursive: true });
  writeFileSync(join(folder, file), spoil(readFileSync(join(folder, file), 'utf8')));
  return folder;
}

test(
  'reports unusable input in one line with a remedy',
  async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[], '--data needs a folder with suites: missing'],
      [['--data', 'nowhere'], 'no folder nowhere'],
      [['--data', import.meta.dirname], 'has no file <suite>_db.json'],
      [['--data', damagedCopy('retail_db.json', () => '{')], 'retail_db.json cannot be read'],
      [['--data', damagedCopy('retail_tools.json', () => '{}')], 'retail_tools.json: tools'],
      [
        ['--data', damagedCopy('retail_dev_tasks.json', (text) => text.replaceAll('"cancel_pending_order"', '"burn"'))],
        'calls burn',
      ],
      [['--data', FIXTURE, '--plant', 'thrice'], '--plant takes twice or lost'],
      [['--data', FIXTURE, '--kills', 'some'], '--kills needs an integer'],
    ];
    for (const [args, message] of cases) {
      const { status, stderr } = await checkTau(...args);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(status).toBe(2);
    }
  },
  LONG,
);
