/** Checks that a fault names the command that fixes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;
let waiting: RunOutcome;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  waiting = project.json<RunOutcome>(...RUN);
  expect(waiting.status).toBe('awaiting_gate');
}, SLOW);
afterAll(() => project.remove());

/** Runs a command with `--json` and returns its fault. */
function readFault(...line: readonly string[]): {
  readonly code: string;
  readonly message: string;
  fix: string | null;
} {
  const { out, err } = project.ambit(...line, '--json');
  expect(out).toBe('');
  return JSON.parse(err).error;
}

test('verify with a bundle file suggests the import', { timeout: SLOW }, () => {
  expect(project.ambit('sessions', 'export', waiting.runId, '--out', 'flip.ambit').exit).toBe(0);
  expect(readFault('verify', 'flip.ambit')).toMatchObject({
    code: 'session_not_found',
    message: 'flip.ambit is a file, not a session; importing a bundle verifies it',
    fix: 'ambit sessions import flip.ambit',
  });
  expect(project.ambit('sessions', 'import', 'flip.ambit')).toMatchObject({ exit: 0 });
  expect(readFault('verify', 'nowhere.ambit')).toMatchObject({ code: 'session_not_found', fix: 'ambit sessions list' });
});

test('trace and fork of a session that has not ended name the commands that show it', { timeout: SLOW }, () => {
  const { runId } = waiting;
  const fix = `see its state now: ambit sessions show ${runId}, or follow it: ambit sessions watch ${runId}`;
  for (const line of [['trace'], ['sessions', 'fork']]) {
    expect(readFault(...line, runId), line.join(' ')).toMatchObject({
      code: 'illegal_transition',
      message: expect.stringContaining('has not ended'),
      fix,
    });
  }
});

test('pausing a session at a gate suggests to decide or cancel', { timeout: SLOW }, () => {
  const { runId } = waiting;
  for (const verb of ['pause', 'interrupt']) {
    const { code, fix } = readFault('sessions', verb, runId, '--reason', 'a look first', '--as', 'bo');
    expect(code).toBe('event_illegal');
    expect(fix).toBe(
      `the session already waits at a gate. Decide the gate: ambit gates list, or cancel the session: ambit sessions cancel ${runId} --reason "…" --as <name>`,
    );
  }
  expect(project.json('sessions', 'cancel', runId, '--reason', 'no', '--as', 'bo')).toMatchObject({
    status: 'cancelled',
  });
  // An ended session stays ended.
  const remark = 'nothing was resumed: the session had already ended with USER_CANCEL';
  expect(project.json('sessions', 'resume', runId)).toMatchObject({ status: 'cancelled', remark });
  expect(project.ambit('sessions', 'resume', runId).out).toContain(remark);
  // A cancelled session no longer waits at a gate.
  expect(readFault('sessions', 'pause', runId, '--reason', 'late', '--as', 'bo').fix).toBeNull();
});

test('an unknown session suggests sessions list, for every command', { timeout: SLOW }, () => {
  for (const line of [['verify'], ['trace'], ['replay'], ['sessions', 'show'], ['sessions', 'resume']]) {
    expect(readFault(...line, 'run_none'), line.join(' ')).toMatchObject({
      message: expect.stringMatching(/^there is no session run_none/),
      fix: 'ambit sessions list',
    });
  }
});
