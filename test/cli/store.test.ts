/** Store commands: check, backup, anchor and prune. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyTools } from '../../src/approvals.ts';
import type { RunOutcome } from '../../src/index.ts';
import type { Anchors, AnchorVerdict } from '../../src/store.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];

let project: Project;
let runId = '';

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
  runId = project.json<RunOutcome>(...RUN, '--yes', '--as', 'bo', '--role', 'finance').runId;
}, SLOW);
afterAll(() => project.remove());

test('backup writes a valid copy and overwrites nothing', { timeout: SLOW }, () => {
  expect(project.ambit('store', 'check')).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/1 session \(0 pruned\), .*: no problems\n$/),
  });
  expect(project.ambit('store', 'backup', 'copy.db').exit).toBe(0);
  expect(project.ambit('store', 'backup', 'copy.db').exit).not.toBe(0);
  expect(project.json('store', 'check', '--file', 'copy.db')).toMatchObject({ sessions: 1, problems: [] });
});

test('verify --anchors finds a changed chain head', { timeout: SLOW }, () => {
  expect(project.ambit('store', 'anchor', '--out', 'anchors.json').exit).toBe(0);
  expect(project.ambit('store', 'anchor', '--out', 'anchors.json')).toMatchObject({ exit: 2, out: '' });
  const good = project.json<AnchorVerdict>('verify', '--anchors', 'anchors.json');
  expect(good).toMatchObject({ ok: true, signature: 'none', findings: [{ session_id: runId, verdict: 'unchanged' }] });
  const anchors = JSON.parse(project.read('anchors.json')) as Anchors;
  const heads = anchors.heads.map((head) => ({ ...head, head_hash: `sha256:${'f'.repeat(64)}` }));
  project.write('other.json', JSON.stringify({ ...anchors, heads }));
  expect(project.ambit('verify', '--anchors', 'other.json').exit).toBe(1);
});

test('prune needs --yes and deletes the session', { timeout: SLOW }, () => {
  const line = ['store', 'prune', '--tenant', 'shop', '--older-than', '0min'];
  expect(project.ambit(...line)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('pruning cannot be undone: confirm with --yes'),
  });
  expect(project.ambit('store', 'prune', '--tenant', 'shop', '--older-than', 'soon', '--yes').exit).toBe(2);
  expect(project.json(...line, '--yes')).toMatchObject({ sessions: [runId] });
  const gone = project.ambit('replay', runId, '--json');
  expect(gone.exit).not.toBe(0);
  expect(JSON.parse(gone.err)).toMatchObject({ error: { code: 'session_pruned' } });
});

test('check says that the record of the pruning is not signed, and requires the signature of a named key', {
  timeout: SLOW,
}, () => {
  expect(project.ambit('store', 'check')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('1 permission record (unsigned): no problems'),
  });
  expect(project.ambit('store', 'check', '--signed-by', keyTools.newPair().publicKey)).toMatchObject({
    exit: 1,
    out: expect.stringContaining('✗ /permissions/2: is not signed'),
  });
});

test('verify and policy shadow count pruned sessions', { timeout: SLOW }, () => {
  expect(project.ambit('verify')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('verified 1 session (1 pruned)'),
  });
  expect(project.json('verify')).toMatchObject({ runs: 1, pruned: 1, frames: 0, damaged: [] });
});

test('pruned sessions do not hide the others', { timeout: SLOW }, () => {
  const shadow = project.ambit('policy', 'shadow');
  expect(shadow).toMatchObject({ exit: 0, out: '' });
  expect(shadow.err).toContain(`skipped ${runId}: `);
  expect(shadow.err).toContain('checked 0 sessions; 0 calls would be decided differently');
});

test('check finds a flipped bit', { timeout: SLOW }, () => {
  project.damage('copy.db', runId);
  const found = project.ambit('store', 'check', '--file', 'copy.db', '--json');
  expect(found.exit).toBe(1);
  expect(JSON.parse(found.out).problems).not.toEqual([]);
});
