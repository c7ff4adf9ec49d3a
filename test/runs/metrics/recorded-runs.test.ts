/** Metrics of real runs, derived from their journals. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { MetricId } from '../../../src/metrics/metric.ts';
import type { MetricGroupReport, MetricResult, MetricsReport } from '../../../src/metrics/report.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import { verifies } from '../../requirements/verifies.ts';
import { PAY, signer, waitingSigned } from '../gates/bench.ts';
import { CAPS, countingIds, neverAnswers, operator, planOf, REQUEST, type Rig, rig } from '../rig.ts';

const broken = (): never => {
  throw new Error('down');
};

const metricIn = (group: MetricGroupReport | undefined, metric: MetricId): MetricResult => {
  const found = group?.metrics.find((each) => each.metric === metric);
  if (found === undefined) throw new Error(`no metric ${metric}`);
  return found;
};
const valueIn = ({ groups }: MetricsReport, metric: MetricId): number | null =>
  metricIn(groups[0], metric).parts[0]?.value ?? null;

/** A rig whose runs make three calls each; one of them is sent twice. */
function retrying(options: Parameters<typeof rig>[0] = {}): Rig {
  const tried = new Set<string>();
  const plan = planOf([
    { id: 'a', tool: 'flaky' },
    { id: 'b', tool: 'read' },
    { id: 'c', tool: 'finish', depends_on: ['a', 'b'] },
  ]);
  return rig({
    tools: {
      flaky: {
        execute: (_, { idempotencyKey }) => {
          if (tried.has(idempotencyKey)) return { ok: true };
          tried.add(idempotencyKey);
          throw new Error('not now');
        },
        retries_max: 2,
      },
      read: {},
      finish: { produces: ['done'] },
    },
    plans: [plan, plan, plan],
    ...options,
  });
}

describe('the facts of a run', () => {
  verifies('metrics:tool-call-count:per-task', 'count the calls that the gateway sent', async () => {
    const bench = retrying();
    const { runId } = await bench.invoke();
    expect(bench.dispatches).toHaveLength(4);
    const events = await bench.events(runId);
    expect(await bench.runtime.records.facts(runId)).toMatchObject({
      run_id: runId,
      tenant: 'tenant_a',
      agent: 'worker',
      intent: 'work',
      code: 'SUCCESS',
      accepted: true,
      started_at: events[0]?.at,
      ended_at: events.at(-1)?.at,
      plans: { verified: 1, passed: 1 },
      steps: { started: 3, completed: 3, retried: 1, recovered: 1 },
      calls: { dispatched: 4, failed: 1, retries: 1 },
      cycles: 3,
      updates: { total: 3, unverified: [] },
      over_cap: [],
      trace_missing: [],
    });
    const report = await bench.runtime.records.metrics();
    expect(valueIn(report, 'tool_call_count')).toBe(4);
    expect(valueIn(report, 'retry_rate')).toBe(0.25);
    expect(valueIn(report, 'failed_tool_calls')).toBe(0.25);
    expect(valueIn(report, 'grounding_rate')).toBe(1);
    expect(valueIn(report, 'trajectory_validity')).toBe(1);
  });

  verifies(
    'metrics:failed-tool-calls:count-and-share',
    'count calls that failed or timed out, and none that the gateway refused before sending',
    async () => {
      const bench = rig({
        tools: {
          late: { execute: neverAnswers, retries_max: 0, timeout_ms: 1_000 },
          down: { execute: broken, retries_max: 0 },
          guarded: { input_schema: { type: 'object', properties: { page: { type: 'integer' } } } },
          read: { execute: () => ({ page: 'one' }) },
          finish: { produces: ['done'] },
        },
        plans: [
          planOf([
            { id: 'a', tool: 'late', optional: true },
            { id: 'b', tool: 'down', optional: true },
            { id: 'c', tool: 'read' },
            {
              id: 'd',
              tool: 'guarded',
              params: { page: { $from: 'c', path: '/page' } },
              depends_on: ['c'],
              optional: true,
            },
            { id: 'e', tool: 'finish', depends_on: ['c'] },
          ]),
        ],
      });
      const { runId, status } = await bench.invoke();
      expect(status).toBe('paused');
      await bench.settle(bench.runtime.sessions.cancel(runId, { credential: operator('ana'), reason: 'enough' }));
      const refused = (await bench.events(runId)).filter(({ type }) => type === 'step_refused');
      expect(refused).toHaveLength(1);
      expect(await bench.runtime.records.facts(runId)).toMatchObject({
        calls: { dispatched: 3, failed: 2, retries: 0 },
      });
      const { groups } = await bench.runtime.records.metrics();
      expect(metricIn(groups[0], 'failed_tool_calls').parts).toMatchObject([{ numerator: 2, value: 2 / 3 }]);
    },
  );

  verifies('metrics:rate:retry-and-recovery', 'ten steps, four of them retried, three recovered', async () => {
    const tries = new Map<unknown, number>();
    const bench = rig({
      tools: {
        steady: {},
        flaky: {
          retries_max: 1,
          execute: ({ fails, n }) => {
            const made = (tries.get(n) ?? 0) + 1;
            tries.set(n, made);
            if (made <= Number(fails)) throw new Error('not now');
            return { ok: true };
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([
          ...[1, 1, 1, 2].map((fails, n) => ({ id: `f${n}`, tool: 'flaky', params: { n, fails }, optional: true })),
          ...[0, 1, 2, 3, 4].map((n) => ({ id: `s${n}`, tool: 'steady', params: { n } })),
          { id: 'end', tool: 'finish', depends_on: ['s4'] },
        ]),
      ],
    });
    const { runId } = await bench.invoke();
    const facts = await bench.runtime.records.facts(runId);
    expect(facts?.steps).toEqual({ started: 10, completed: 9, retried: 4, recovered: 3 });
    const { groups } = await bench.runtime.records.metrics();
    expect(metricIn(groups[0], 'retry_and_recovery_rate').parts).toMatchObject([{ value: 0.4 }, { value: 0.75 }]);
    // Each retry was a dispatch: three steps were sent once more and worked, the fourth failed twice.
    expect([...tries.values()]).toEqual([2, 2, 2, 2]);
  });

  test('count lanes, rejected plans and replans', async () => {
    const bench = rig({
      tools: { north: { produces: ['north'] }, south: { produces: ['south'] }, report: { produces: ['done'] } },
      plans: [
        planOf([{ id: 'a', tool: 'nowhere' }]),
        planOf([
          { id: 'a', tool: 'north' },
          { id: 'b', tool: 'south' },
          { id: 'c', tool: 'report', depends_on: ['a', 'b'] },
        ]),
      ],
      caps: { ...CAPS, lanes_max: 10, replan_attempts_max: 2 },
      options: { limits: { parallelSteps: 2 } },
    });
    const { runId } = await bench.invoke();
    expect(await bench.runtime.records.facts(runId)).toMatchObject({
      accepted: true,
      replanned: true,
      plans: { verified: 2, passed: 1 },
      lanes: { returned: 2, accepted: 2 },
      loop_guard_tripped: false,
    });
    const report = await bench.runtime.records.metrics();
    expect(report.runs).toBe(1);
    expect(valueIn(report, 'loop_depth')).toBe(1);
    expect(valueIn(report, 'tool_call_count')).toBe(bench.dispatches.length + 2);
  });

  test('count an escalation, its risk, and a stop of the loop guard', async () => {
    const handedOver = rig({
      tools: { post: { retries_max: 0, execute: broken }, finish: { produces: ['done'] } },
      plans: [planOf([{ id: 'a', tool: 'post' }])],
      caps: { ...CAPS, replan_attempts_max: 0 },
      agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'moderate' })) }),
    });
    const { runId, status } = await handedOver.invoke();
    expect(status).toBe('paused');
    expect(await handedOver.runtime.records.facts(runId)).toBeNull();
    expect(await handedOver.runtime.records.metrics()).toMatchObject({ runs: 0, groups: [{ runs: 0 }], unread: [] });
    await handedOver.settle(
      handedOver.runtime.sessions.cancel(runId, { credential: operator('ana'), reason: 'enough' }),
    );
    expect(await handedOver.runtime.records.facts(runId)).toMatchObject({
      accepted: false,
      escalated: true,
      risk: 'moderate',
      loop_guard_tripped: false,
      steps: { started: 1, completed: 0, retried: 0 },
    });
    const same = Array.from({ length: 6 }, (_, at) => ({ id: `s${at}`, tool: 'read', params: { page: 1 } }));
    const looping = rig({ tools: { read: {}, finish: { produces: ['done'] } }, plans: [planOf(same)] });
    const stopped = await looping.invoke();
    expect(stopped.reason).toBe('loop_detected');
    if (stopped.terminalCode === null)
      await looping.settle(
        looping.runtime.sessions.cancel(stopped.runId, { credential: operator('ana'), reason: 'enough' }),
      );
    expect(await looping.runtime.records.facts(stopped.runId)).toMatchObject({
      accepted: false,
      loop_guard_tripped: true,
    });
  });

  test('count the decisions at gates; a rejection is an override', async () => {
    const bench = rig(PAY);
    const { runId, pending } = await bench.invoke();
    const [gate] = pending;
    if (gate === undefined) throw new Error('there is no gate');
    const { gateId, packetHash } = gate;
    const credential = operator('ana', ['finance']);
    await bench.settle(bench.runtime.gates.reject(gateId, { packetHash, credential, reason: 'not today' }));
    expect(await bench.runtime.records.facts(runId)).toMatchObject({
      code: 'PERMISSION_DENIED',
      decisions: { total: 1, overrides: 1 },
      calls: { dispatched: 1 },
    });
    expect(valueIn(await bench.runtime.records.metrics(), 'human_override_rate')).toBe(1);
  });
});

describe('a report', () => {
  test('has one group for each tenant, and a target for one of them', async () => {
    const bench = retrying();
    await bench.invoke();
    await bench.invoke({ tenant_id: 'tenant_b', identity: { ...REQUEST.identity, tenant_id: 'tenant_b' } });
    const targets = [{ metric: 'retry_rate', tenant: 'tenant_b', target: { at_most: 0.5 } }] as const;
    const report = await bench.runtime.records.metrics({ by: 'tenant', targets });
    expect(
      report.groups.map(({ key, runs, metrics }) => [
        key,
        runs,
        metricIn({ key, runs, metrics, labelled: 0 }, 'retry_rate').verdict,
      ]),
    ).toEqual([
      [{ tenant: 'tenant_a' }, 1, 'fail'],
      [{ tenant: 'tenant_b' }, 1, 'pass'],
    ]);
    const one = await bench.runtime.records.metrics({ tenant: 'tenant_b', targets });
    expect([one.runs, metricIn(one.groups[0], 'retry_rate').verdict]).toEqual([1, 'pass']);
    const all = await bench.runtime.records.metrics({ targets });
    expect(metricIn(all.groups[0], 'retry_rate').verdict).toBe('fail');
  });

  test('counts the runs of a period, and a value for each part of it', async () => {
    const bench = retrying();
    await bench.invoke();
    const middle = bench.clock.nowMs() + 1;
    bench.clock.advanceTo(middle + 60_000);
    await bench.invoke();
    expect(await bench.runtime.records.metrics({ since: middle })).toMatchObject({ runs: 1 });
    expect(await bench.runtime.records.metrics({ until: middle })).toMatchObject({ runs: 1 });
    const { groups } = await bench.runtime.records.metrics({ periods: 3 });
    expect(metricIn(groups[0], 'tool_call_count').series).toEqual([4, null, 4]);
  });

  test('names a wrong option with the known ones', async () => {
    const { runtime } = retrying();
    await expect(runtime.records.metrics({ sinse: 3 } as never)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringMatching(/sinse.*since/),
    });
    await expect(
      runtime.records.metrics({ targets: [{ metric: 'retries', target: null }] } as never),
    ).rejects.toMatchObject({ code: 'input_invalid', path: '/targets/0/metric' });
  });

  test('reads each ended run once, also after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-metrics-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const storeFile = `sqlite:${join(folder, 'runs.db')}` as const;
    const ids = countingIds();
    const open = (): Rig => retrying({ world: { ids }, storeFile });
    const first = open();
    await first.invoke();
    await first.invoke();
    const derived: (readonly [number, number])[] = [];
    const onProgress = (done: number, of: number): void => void derived.push([done, of]);
    const before = await first.runtime.records.metrics({}, { onProgress });
    expect(derived).toEqual([
      [0, 2],
      [2, 2],
    ]);
    await first.runtime.close();
    const second = open();
    derived.length = 0;
    expect(await second.runtime.records.metrics({}, { onProgress })).toEqual(before);
    expect(derived).toEqual([]);
    await second.invoke();
    expect(await second.runtime.records.metrics({}, { onProgress })).toMatchObject({ runs: 3 });
    expect(derived).toEqual([
      [2, 3],
      [3, 3],
    ]);
    expect(statSync(join(folder, 'runs.db.facts')).mode & 0o777).toBe(0o600);
    await second.runtime.close();
  });
});

describe('labels', () => {
  const wrong = { fields: { success: false, expected_code: 'MISSING_INFO' }, reason: 'it guessed the date' } as const;

  test('of people count in reports; a later label replaces the fields that it sets', async () => {
    const bench = retrying();
    const { runId } = await bench.invoke();
    const credential = operator('ana');
    const label = await bench.runtime.records.label(runId, { ...wrong, credential });
    expect(label).toMatchObject({ run_id: runId, tenant_id: 'tenant_a', by: 'ana', fields: wrong.fields });
    const report = await bench.runtime.records.metrics();
    expect(report.groups[0]).toMatchObject({ runs: 1, labelled: 1 });
    expect(metricIn(report.groups[0], 'task_success_rate')).toMatchObject({ parts: [{ value: 0 }], verdict: 'fail' });
    expect(metricIn(report.groups[0], 'correct_termination').parts[0]?.named).toEqual([
      `${runId}: SUCCESS, expected MISSING_INFO`,
    ]);
    await bench.runtime.records.label(runId, { fields: { success: true }, reason: 'it was right', credential });
    const later = await bench.runtime.records.metrics();
    expect([valueIn(later, 'task_success_rate'), valueIn(later, 'correct_termination')]).toEqual([1, 0]);
    expect(await bench.runtime.records.labels(runId)).toHaveLength(2);
    expect(await bench.runtime.records.labels()).toHaveLength(2);
  });

  test('need a field, an ended run, and a person of the tenant', async () => {
    const bench = rig(PAY);
    const credential = operator('ana');
    const { runId } = await bench.invoke();
    const { label } = bench.runtime.records;
    await expect(label(runId, { ...wrong, credential })).rejects.toMatchObject({ code: 'event_illegal' });
    await expect(label('run_none', { ...wrong, credential })).rejects.toMatchObject({ code: 'session_not_found' });
    const empty = label(runId, { fields: {}, reason: 'nothing', credential });
    await expect(empty).rejects.toMatchObject({ code: 'input_invalid', message: expect.stringContaining('success') });
  });

  test('that nothing proves do not count where the tenant has keys', async () => {
    const { bench, keys, runId, gate } = await waitingSigned();
    const ana = await signer(keys, 'ana');
    const { gateId, packetHash } = gate;
    const signed = ana.sign(gate, 'reject', bench.clock.nowMs());
    await bench.settle(bench.runtime.gates.reject(gateId, { packetHash, credential: signed, reason: 'seen' }));
    const unsigned = bench.runtime.records.label(runId, { ...wrong, credential: operator('eve') });
    await expect(unsigned).rejects.toMatchObject({ code: 'credential_unknown' });
    await bench.journal.addLabel({
      label_id: 'label_1',
      run_id: runId,
      tenant_id: 'tenant_a',
      fields: { success: true },
      by: 'eve',
      reason: 'written into the store',
      at: bench.clock.nowMs(),
      proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] },
    });
    const report = await bench.runtime.records.metrics();
    expect(report).toMatchObject({ unproven_labels: 1, groups: [{ labelled: 0 }] });
    const at = bench.clock.nowMs();
    const credential = ana.signText(
      (key_id) => signingText.label({ run_id: runId, ...wrong, key_id, signed_at: at }),
      at,
    );
    await bench.runtime.records.label(runId, { ...wrong, credential });
    const proven = await bench.runtime.records.metrics();
    expect(proven).toMatchObject({ unproven_labels: 1, groups: [{ labelled: 1 }] });
    expect(valueIn(proven, 'task_success_rate')).toBe(0);
  });
});
