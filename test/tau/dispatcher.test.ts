/** `npm run check:tau` on tools behind a dispatcher with JSON text as arguments, and on equal calls made on purpose. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { performTasks } from '../../scripts/tau/perform-tasks.ts';
import { readSuites, type Suite } from '../../scripts/tau/suite.ts';
import { KINDS, kindsOf } from '../../scripts/tau/tools.ts';
import { checkTau, LIBRARY } from './check-tau.ts';

const LONG = 600_000;

function suitesOf(folder: string): readonly Suite[] {
  const suites = readSuites(folder);
  if (typeof suites === 'string') throw new Error(suites);
  return suites;
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test(
  'every task ends in its recorded state, and a person confirms each equal change',
  async () => {
    const { status, last, stdout } = await checkTau('--data', LIBRARY, '--json');
    expect(JSON.parse(last), stdout).toEqual({
      tasks: 5,
      right: 5,
      writes: 7,
      duplicated: 0,
      lost: 0,
      escalated: 2,
      kills: 0,
    });
    expect(stdout).toContain('2 equal changes, 2 of them confirmed by a person');
    expect(status).toBe(0);
  },
  LONG,
);

test(
  'every task ends in its recorded state despite kills',
  async () => {
    const { status, last, stdout } = await checkTau('--data', LIBRARY, '--kills', '6', '--seed', '3', '--json');
    expect(JSON.parse(last), stdout).toMatchObject({ tasks: 5, right: 5, duplicated: 0, lost: 0, kills: 6 });
    expect(status, stdout).toBe(0);
  },
  LONG,
);

test(
  'detects writes behind the dispatcher that are made twice',
  async () => {
    const { status, last, stdout } = await checkTau('--data', LIBRARY, '--plant', 'twice', '--json');
    expect(JSON.parse(last), stdout).toMatchObject({ tasks: 5, writes: 14, duplicated: 7, lost: 0 });
    expect(status).toBe(1);
    rmSync(/are kept in (\S+)/.exec(stdout)?.[1] ?? '', { recursive: true });
  },
  LONG,
);

test('the inner tool of a call has the effect and the kind, and the dispatcher has neither', () => {
  const [suite] = suitesOf(LIBRARY);
  const tool = (name: string) => suite?.tools.find((each) => each.name === name);
  expect(tool('call_tool')).toMatchObject({ mode: 'read_only', writes: false, isInner: false });
  expect(tool('charge_fee')).toMatchObject({ mode: 'destructive', writes: true, isInner: true, equalCalls: 2 });
  expect(tool('poll_scanner')).toMatchObject({ writes: false, isInner: false, equalCalls: 5 });
  expect(suite?.tasks[0]?.actions[1]?.real).toEqual({ tool: 'charge_fee', args: { member_id: 'm1', cents: 50 } });
  const kindsOfTool = (name: string) =>
    new Set(KINDS.map((_, rotation) => (suite === undefined ? undefined : kindsOf(suite, rotation).get(name))));
  // An equal fee is another fee, and a dispatcher has no probe of its tools.
  expect(kindsOfTool('charge_fee')).toEqual(new Set(['key', 'neither']));
  expect(kindsOfTool('cancel_reservation')).toEqual(new Set(['key', 'natural', 'neither']));
});

test('names a call that does not state the call that it passes on', () => {
  const folder = freshFolder();
  cpSync(LIBRARY, folder, { recursive: true });
  const file = join(folder, 'library_test_tasks.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('{ \\"loan_id\\": \\"l1\\" }', 'renew it'));
  expect(readSuites(folder)).toBe('renewed_twice: a call of call_tool does not state the call that it passes on');
});

test(
  'ends every worker when one of them fails',
  async () => {
    // The workers read the suite from the folder, which lacks the first task.
    const suites = suitesOf(LIBRARY).map((suite) => ({
      ...suite,
      tasks: suite.tasks.map((task, place) => (place === 0 ? { ...task, id: 'unknown' } : task)),
    }));
    const options = { data: LIBRARY, suites, folder: freshFolder(), kills: 0, seed: 1, abreast: 2, plant: null };
    const running = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
    const before = running();
    await expect(performTasks({ ...options, progress: () => undefined })).rejects.toThrow('unknown realm');
    expect(running()).toBe(before);
  },
  LONG,
);
