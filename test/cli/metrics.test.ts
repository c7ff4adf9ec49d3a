/** `ambit metrics` in a project of its own. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import type { StoreMetrics } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const GOAL = ['--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const DECIDER = ['--reason', 'fine', '--as', 'bo', '--role', 'finance'];

let project: Project;

beforeAll(() => {
  project = openProject();
  project.addSupportAgent();
}, SLOW);
afterAll(() => project.remove());

test('without ended sessions, a report says so', { timeout: SLOW }, () => {
  expect(project.ambit('metrics')).toMatchObject({ exit: 0, out: 'No ended sessions.\n' });
});

test('a report shows values, targets and the sessions behind a miss', { timeout: SLOW }, () => {
  const { pending } = project.json<RunOutcome>('run', ...GOAL);
  const [gate] = pending;
  if (gate === undefined) throw new Error('there is no gate');
  project.ambit('gates', 'reject', gate.gateId, '--packet', gate.packetHash, ...DECIDER);
  const { out, exit } = project.ambit('metrics');
  expect(exit).toBe(0);
  expect(out).toMatch(/^1 session that ended from /);
  expect(out).toMatch(/Tool calls per task +\d/);
  expect(out).toMatch(/Task success rate +– +≥ 98 % +no data/);
  expect(out).toMatch(/Human override rate +100 % +no target/);
  expect(out).toMatch(/Budget adherence +100 % +≥ 100 % +pass/);

  project.write('targets.json', '{"targets": [{"metric": "human_override_rate", "target": {"at_most": 0.2}}]}');
  const missed = project.ambit('metrics', '--targets', 'targets.json', '--by', 'agent');
  expect(missed).toMatchObject({ exit: 1 });
  expect(missed.out).toMatch(/agent support, 1 session, 0 labelled/);
  expect(missed.out).toMatch(/Human override rate +100 % +≤ 20 % +fail/);
  const json = JSON.parse(project.ambit('metrics', '--json').out) as StoreMetrics;
  expect(json).toMatchObject({ runs: 1, unread: [], groups: [{ key: {}, runs: 1 }] });
  expect(json.groups[0]?.metrics).toHaveLength(25);

  const { runId } = project.json<readonly { readonly runId: string }[]>('sessions', 'list')[0] ?? { runId: '' };
  const label = [
    'label',
    runId,
    '--success',
    'no',
    '--expected',
    'MISSING_INFO',
    '--reason',
    'it guessed',
    '--as',
    'bo',
  ];
  expect(project.ambit(...label)).toMatchObject({ exit: 0, out: `✓ labelled ${runId} by bo\n` });
  expect(project.ambit('metrics').out).toMatch(/Task success rate +0 % \(0 % to [\d.]+ %\) +≥ 98 % +fail/);
  const text = project.ambit('metrics', '--format', 'prometheus', '--by', 'tenant').out;
  expect(text).toContain(
    '# TYPE ambit_run_human_override_rate gauge\nambit_run_human_override_rate{tenant="shop"} 1\n',
  );
  expect(text).toContain('ambit_run_tasks{tenant="shop"} 1\n');
  expect(text).not.toContain('\nambit_run_user_correction_rate{');
  const otlp = JSON.parse(project.ambit('metrics', '--format', 'otlp').out);
  const [scope] = otlp.resourceMetrics[0].scopeMetrics;
  expect(scope.metrics).toContainEqual(
    expect.objectContaining({
      name: 'ambit.run.human_override_rate',
      unit: '1',
      gauge: { dataPoints: [expect.objectContaining({ asDouble: 1 })] },
    }),
  );
});

test('a wrong target is refused with its place', { timeout: SLOW }, () => {
  project.write('wrong.json', '{"targets": [{"metric": "override_rate", "target": {"at_most": 0.2}}]}');
  const { exit, err } = project.ambit('metrics', '--targets', 'wrong.json');
  expect(exit).toBe(2);
  expect(err).toContain('targets/0/metric');
});
