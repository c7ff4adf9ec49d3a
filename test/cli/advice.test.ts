/** Proves that what is refused names the command that helps. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;
let waiting: RunOutcome;

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
  waiting = project.json<RunOutcome>(...RUN);
  expect(waiting.status).toBe('awaiting_gate');
}, SLOW);
afterAll(() => project.remove());

/** What a line is refused with, as a program reads it. */
function refusalOf(...line: readonly string[]): {
  readonly code: string;
  readonly message: string;
  fix: string | null;
} {
  const { out, err } = project.ambit(...line, '--json');
  expect(out).toBe('');
  return JSON.parse(err).error;
}

test('the file of a bundle is no session, and is checked by its import', { timeout: SLOW }, () => {
  expect(project.ambit('sessions', 'export', waiting.runId, '--out', 'flip.ambit').exit).toBe(0);
  expect(refusalOf('verify', 'flip.ambit')).toMatchObject({
    code: 'session_not_found',
    message: expect.stringContaining('flip.ambit is a file and no session'),
    fix: 'ambit sessions import flip.ambit',
  });
  expect(project.ambit('sessions', 'import', 'flip.ambit')).toMatchObject({ exit: 0 });
  expect(refusalOf('verify', 'nowhere.ambit')).toMatchObject({ code: 'session_not_found', fix: 'ambit sessions list' });
});

test('a session at a gate is held already: who would pause it is told what can be done', { timeout: SLOW }, () => {
  const { runId } = waiting;
  for (const verb of ['pause', 'interrupt']) {
    const { code, fix } = refusalOf('sessions', verb, runId, '--reason', 'a look first', '--as', 'bo');
    expect(code).toBe('event_illegal');
    expect(fix).toMatch(/^it waits at a gate already, .*: ambit gates list, .*: ambit sessions cancel run_/);
  }
  expect(project.json('sessions', 'cancel', runId, '--reason', 'no', '--as', 'bo')).toMatchObject({
    status: 'cancelled',
  });
  // What has ended waits at no gate.
  expect(refusalOf('sessions', 'pause', runId, '--reason', 'late', '--as', 'bo').fix).toBeNull();
});

test('what is not there is a session to every command that takes one', { timeout: SLOW }, () => {
  for (const line of [['verify'], ['trace'], ['replay'], ['sessions', 'show'], ['sessions', 'resume']]) {
    expect(refusalOf(...line, 'run_none'), line.join(' ')).toMatchObject({
      message: expect.stringMatching(/^there is no session run_none/),
      fix: 'ambit sessions list',
    });
  }
});
