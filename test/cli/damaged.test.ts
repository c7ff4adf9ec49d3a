/** Commands on a store in which one of two sessions cannot be read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import type { DamagedSession, SessionSummary } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;
let [damaged, intact] = ['', ''];

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  damaged = project.json<RunOutcome>(...RUN).runId;
  intact = project.json<RunOutcome>(...RUN).runId;
  expect(project.json<readonly DamagedSession[]>('sessions', 'damaged')).toEqual([]);
  project.damage('ambit.db', damaged);
}, SLOW);
afterAll(() => project.remove());

test('sessions damaged lists the session with its fault, and exits with 1', { timeout: SLOW }, () => {
  const listed = project.json<readonly DamagedSession[]>('sessions', 'damaged');
  expect(listed).toMatchObject([{ runId: damaged, status: 'awaiting_gate', code: 'store_corrupt' }]);
  const text = project.ambit('sessions', 'damaged');
  expect(text).toMatchObject({ exit: 1, out: expect.stringContaining('store_corrupt') });
  expect(text.out).not.toContain(intact);
});

test('the lists of sessions and gates still show the others', { timeout: SLOW }, () => {
  const sessions = project.json<readonly SessionSummary[]>('sessions', 'list');
  expect(sessions.map(({ runId }) => runId)).toContain(intact);
  expect(project.ambit('gates', 'list')).toMatchObject({ exit: 0, out: expect.stringContaining(intact) });
});
