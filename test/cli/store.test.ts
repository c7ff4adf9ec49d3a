/** Proves that a store is looked after from the command line: checked, copied, anchored, pruned. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Anchors, AnchorVerdict, RunOutcome } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;
let runId = '';

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
  runId = project.json<RunOutcome>(...RUN, '--yes', '--as', 'bo', '--role', 'finance').runId;
}, SLOW);
afterAll(() => project.remove());

test('a copy is as good as the store', { timeout: SLOW }, () => {
  expect(project.ambit('store', 'check')).toMatchObject({ exit: 0, out: expect.stringContaining('nothing is wrong') });
  expect(project.ambit('store', 'backup', 'copy.db').exit).toBe(0);
  expect(project.ambit('store', 'backup', 'copy.db').exit).not.toBe(0);
  expect(project.json('store', 'check', '--file', 'copy.db')).toMatchObject({ sessions: 1, problems: [] });
});

test('what was anchored and is no longer what it was is named', { timeout: SLOW }, () => {
  expect(project.ambit('store', 'anchor', '--out', 'anchors.json').exit).toBe(0);
  expect(project.ambit('store', 'anchor', '--out', 'anchors.json')).toMatchObject({ exit: 2, out: '' });
  const good = project.json<AnchorVerdict>('verify', '--anchors', 'anchors.json');
  expect(good).toMatchObject({ ok: true, signature: 'none', findings: [{ session_id: runId, verdict: 'unchanged' }] });
  const anchors = JSON.parse(project.read('anchors.json')) as Anchors;
  const heads = anchors.heads.map((head) => ({ ...head, head_hash: `sha256:${'f'.repeat(64)}` }));
  project.write('other.json', JSON.stringify({ ...anchors, heads }));
  expect(project.ambit('verify', '--anchors', 'other.json').exit).toBe(1);
});

test('what is pruned is gone only if somebody means it, and says so', { timeout: SLOW }, () => {
  const line = ['store', 'prune', '--tenant', 'shop', '--older-than', '0min'];
  expect(project.ambit(...line)).toMatchObject({ exit: 2, err: expect.stringContaining('add --yes') });
  expect(project.ambit('store', 'prune', '--tenant', 'shop', '--older-than', 'soon', '--yes').exit).toBe(2);
  expect(project.json(...line, '--yes')).toMatchObject({ sessions: [runId] });
  const gone = project.ambit('replay', runId, '--json');
  expect(gone.exit).not.toBe(0);
  expect(JSON.parse(gone.err)).toMatchObject({ error: { code: 'session_pruned' } });
});

test('verify says how many sessions have nothing left to verify', { timeout: SLOW }, () => {
  expect(project.ambit('verify')).toMatchObject({ exit: 0, out: expect.stringContaining('1 session (1 pruned)') });
  expect(project.json('verify')).toMatchObject({ runs: 1, pruned: 1, frames: 0, damaged: [] });
});

test('what is pruned does not keep anybody from looking at the others', { timeout: SLOW }, () => {
  const shadow = project.ambit('policy', 'shadow');
  expect(shadow).toMatchObject({ exit: 0, out: '' });
  expect(shadow.err).toContain(`${runId} cannot be looked at`);
  expect(shadow.err).toContain('0 sessions looked at');
});

test('a bit that flips is found by check and by verify', { timeout: SLOW }, () => {
  project.damage('copy.db', runId);
  const found = project.ambit('store', 'check', '--file', 'copy.db', '--json');
  expect(found.exit).toBe(1);
  expect(JSON.parse(found.out).problems).not.toEqual([]);
});
