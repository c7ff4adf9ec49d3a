/** Whoever types a command for the first time, or wrongly, is told what to type, in words and not in stacks. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const AS_SOURCE = ['--import', './test/e2e/crash/package-is-source.ts'];

/** How each script of package.json starts, without the build that some need first. */
const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['npm run demo', [...AS_SOURCE, 'examples/01-refund/src/main.ts']],
  ['npm run example:incident', [...AS_SOURCE, 'examples/02-incident/src/main.ts']],
  ['npm run example:invoice', [...AS_SOURCE, 'examples/03-invoice/src/main.ts']],
  ['npm run example:research', [...AS_SOURCE, 'examples/04-research/src/main.ts']],
  ['npm run example:local-model', [...AS_SOURCE, 'examples/05-local-model/src/main.ts']],
  ['npm run simulate', ['test/simulation/simulate.ts']],
  ['npm run requirements', ['scripts/check-requirements.ts']],
  ['npm run check:walls', ['scripts/check-walls.ts']],
  ['npm run bench:kernel', ['bench/run-kernel.ts']],
  ['npm run check:bfcl', ['scripts/check-bfcl.ts']],
  ['npm run bench:injection', ['scripts/bench-injection.ts']],
  ['npm run verify', ['scripts/verify.ts']],
];

interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[]): Said {
  const env = { ...process.env, NODE_NO_WARNINGS: '1', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], { cwd: ROOT, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

describe.each(COMMANDS)('%s', (name, args) => {
  test('--help explains it with examples', () => {
    const { status, stdout, stderr } = run([...args, '--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${name}`);
    expect(stdout).toMatch(/\nExamples:\n {2}\S/);
    expect(stdout).toMatch(/\n {2}--help +\S/);
  });

  test('a flag it does not know is one line that names those it does', () => {
    const { status, stdout, stderr } = run([...args, '--no-such-flag']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining("'--no-such-flag'")]);
    expect(stderr).toContain(name);
    expect(stderr).toContain('--help');
  });
});

test.each(['01-refund', '02-incident', '03-invoice', '04-research', '05-local-model'])(
  'the page of %s is shown without a build',
  (example) => {
    const built = (): number | undefined => statSync(`${ROOT}/dist`, { throwIfNoEntry: false })?.ctimeMs;
    const before = built();
    const { status, stdout, stderr } = run(['scripts/run-example.ts', example, '--help']);
    expect([status, stderr, built()]).toEqual([0, '', before]);
    expect(stdout).toContain('Usage: npm run ');
  },
);

test.each([
  [['test/simulation/simulate.ts', '--seeds', 'abc'], '--seeds takes a whole number from 1 on, not "abc"'],
  [['test/simulation/simulate.ts', '--seeds', '0'], '--seeds takes a whole number from 1 on, not "0"'],
  [['test/simulation/simulate.ts', '--seed', '1.5'], '--seed takes a whole number from 0 on, not "1.5"'],
  [['test/simulation/simulate.ts', '--from', ''], '--from takes a whole number from 0 on, not ""'],
  [['bench/run-kernel.ts', '--rounds', '0'], '--rounds takes a whole number from 1 on, not "0"'],
  [['test/simulation/simulate.ts', '--seed', '1', '--seeds', '5'], 'leave --seeds and --from out'],
  [['test/simulation/simulate.ts', '--verbose'], 'say which with --seed N'],
  [['scripts/check-bfcl.ts'], '--data FILE names a file with BFCL cases, one JSON object a line: it was not given'],
  [['scripts/check-bfcl.ts', '--data', 'docs'], 'at docs: that is a folder'],
  [['scripts/check-bfcl.ts', '--data', 'README.md'], 'line 1 is no case (not a JSON object)'],
  [['scripts/bench-injection.ts'], '--data FOLDER names a folder with suites: it was not given'],
  [['scripts/check-requirements.ts', '--report', 'package.json'], 'AMBIT_TEST_REPORT=package.json npm test writes one'],
  [['scripts/check-requirements.ts', '--report'], "'--report <value>' argument missing"],
  [
    [...AS_SOURCE, 'examples/01-refund/src/main.ts', '--folder', 'README.md'],
    '--folder names a folder: README.md is a file',
  ],
])('a value it cannot take: %j', (args, words) => {
  const { status, stdout, stderr } = run(args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(words)]);
});

test('the walls are whole, and the check says nothing that nobody has to act on', () => {
  const { status, stdout, stderr } = run(['scripts/check-walls.ts']);
  expect([status, stderr.replace(/^Checked \d+ files in .*\n/, '')]).toEqual([0, '']);
  expect(stdout).toMatch(/^house: \d+ files, 0 broken walls\n(Checked \d+ files in [^\n]*\n)?$/);
});
