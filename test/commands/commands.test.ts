/** The help and the usage errors of every command: readable sentences without stack traces. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const AS_SOURCE = ['--import', './test/e2e/crash/package-is-source.ts'];

/** The start of each script of package.json, without the build that some need first. */
const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['npm run demo', [...AS_SOURCE, 'examples/01-refund/src/main.ts']],
  ['npm run example:incident', [...AS_SOURCE, 'examples/02-incident/src/main.ts']],
  ['npm run example:invoice', [...AS_SOURCE, 'examples/03-invoice/src/main.ts']],
  ['npm run example:research', [...AS_SOURCE, 'examples/04-research/src/main.ts']],
  ['npm run example:local-model', [...AS_SOURCE, 'examples/05-local-model/src/main.ts']],
  ['npm run simulate', ['test/simulation/simulate.ts']],
  ['npm run requirements', ['scripts/check-requirements.ts']],
  ['npm run house', ['scripts/house.ts']],
  ['npm run check:house', ['scripts/check-house.ts']],
  ['npm run bench:kernel', ['bench/run-kernel.ts']],
  ['npm run bench:replay', ['bench/run-replay.ts']],
  ['npm run check:bfcl', ['scripts/check-bfcl.ts']],
  ['npm run bench:injection', ['scripts/bench-injection.ts']],
  ['npm run verify', ['scripts/verify.ts']],
];

interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[]): Output {
  const env = { ...process.env, NODE_NO_WARNINGS: '1', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], { cwd: ROOT, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

describe.each(COMMANDS)('%s', (name, args) => {
  test('--help explains the command with examples', () => {
    const { status, stdout, stderr } = run([...args, '--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${name}`);
    expect(stdout).toMatch(/\nExamples:\n {2}\S/);
    expect(stdout).toMatch(/\n {2}--help +\S/);
  });

  test('reports an unknown flag in one line that names the known ones', () => {
    const { status, stdout, stderr } = run([...args, '--no-such-flag']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining("'--no-such-flag'")]);
    expect(stderr).toContain(name);
    expect(stderr).toContain('--help');
  });
});

test.each(['01-refund', '02-incident', '03-invoice', '04-research', '05-local-model'])(
  'shows the help of %s without a build',
  (example) => {
    const built = (): number | undefined => statSync(`${ROOT}/dist`, { throwIfNoEntry: false })?.ctimeMs;
    const before = built();
    const { status, stdout, stderr } = run(['scripts/run-example.ts', example, '--help']);
    expect([status, stderr, built()]).toEqual([0, '', before]);
    expect(stdout).toContain('Usage: npm run ');
  },
);

test.each([
  [['test/simulation/simulate.ts', '--seeds', 'abc'], '--seeds needs an integer of at least 1, not "abc"'],
  [['test/simulation/simulate.ts', '--seeds', '0'], '--seeds needs an integer of at least 1, not "0"'],
  [['test/simulation/simulate.ts', '--seed', '1.5'], '--seed needs an integer of at least 0, not "1.5"'],
  [['test/simulation/simulate.ts', '--from', ''], '--from needs an integer of at least 0, not ""'],
  [['bench/run-kernel.ts', '--rounds', '0'], '--rounds needs an integer of at least 1, not "0"'],
  [['test/simulation/simulate.ts', '--seed', '1', '--seeds', '5'], 'leave --seeds and --from out'],
  [['test/simulation/simulate.ts', '--verbose'], 'say which with --seed N'],
  [['scripts/house.ts', '--list', 'rooms'], '--list must be files or functions or '],
  [['scripts/check-bfcl.ts'], '--data needs a file with BFCL cases, one JSON object per line: missing'],
  [['scripts/check-bfcl.ts', '--data', 'docs'], 'at docs: is a folder'],
  [['scripts/check-bfcl.ts', '--data', 'README.md'], 'line 1 is not a case (not a JSON object)'],
  [['scripts/bench-injection.ts'], '--data needs a folder with suites: missing'],
  [
    ['scripts/check-requirements.ts', '--report', 'package.json'],
    'write one with AMBIT_TEST_REPORT=package.json npm test',
  ],
  [['scripts/check-requirements.ts', '--report'], "'--report <value>' argument missing"],
  [
    [...AS_SOURCE, 'examples/01-refund/src/main.ts', '--folder', 'README.md'],
    '--folder needs a folder: README.md is a file',
  ],
])('rejects an invalid value: %j', (args, words) => {
  const { status, stdout, stderr } = run(args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(words)]);
});

test('check:house passes and prints one line', { timeout: 600_000 }, () => {
  const { status, stdout, stderr } = run(['scripts/check-house.ts']);
  expect([status, stderr.replace(/^Checked \d+ files in .*\n/, '')]).toEqual([0, '']);
  expect(stdout).toMatch(/^house: \d+ files, 0 violations\n(Checked \d+ files in [^\n]*\n)?$/);
});
