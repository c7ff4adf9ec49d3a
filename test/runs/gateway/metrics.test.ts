/** Tests the metrics for operators (calls, retries, refusals, gates, breakers), counted as they become durable. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRICS, type Metrics } from '../../../src/ports/metrics.ts';
import { type RecordedMetrics, recordedMetrics } from '../../../src/testing/recorded-metrics.ts';
import { PAY } from '../gates/bench.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

interface Watched {
  readonly bench: Rig;
  readonly metrics: RecordedMetrics;
}

function watched(options: RigOptions): Watched {
  const metrics = recordedMetrics();
  return { bench: rig({ ...options, world: { ...options.world, metrics } }), metrics };
}

/** Waits until the store has answered. */
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const WHO = { agent: 'worker', tenant: 'tenant_a' };
const ONE = planOf([{ id: 's1', tool: 'fetch' }]);

test('counts calls by outcome, times them, and counts repeated calls as retries', async () => {
  let calls = 0;
  const fetch = {
    produces: ['done'],
    execute: async () => {
      calls += 1;
      await bench.clock.until(bench.clock.nowMs() + 250, new AbortController().signal);
      if (calls === 1) throw new Error('busy');
      return { ok: true };
    },
  };
  const { bench, metrics } = watched({ tools: { fetch }, plans: [ONE] });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(metrics.total('ambit_calls_total', { ...WHO, tool: 'fetch', outcome: 'error' })).toBe(1);
  expect(metrics.total('ambit_calls_total', { ...WHO, tool: 'fetch', outcome: 'ok' })).toBe(1);
  expect(metrics.total('ambit_retries_total', { ...WHO, tool: 'fetch' })).toBe(1);
  expect(metrics.values('ambit_call_duration_seconds', { tenant: 'tenant_a', tool: 'fetch' })).toEqual([0.25, 0.25]);
  expect(metrics.total('ambit_runs_total', { ...WHO, code: 'SUCCESS' })).toBe(1);
});

test('counts refusals by layer', async () => {
  const infrastructure = { permits: () => ({ ok: false, reason: 'closed' }) as const };
  const { bench, metrics } = watched({ tools: { fetch: {} }, plans: [ONE], world: { infrastructure } });
  await bench.invoke();
  expect(metrics.total('ambit_refusals_total', { ...WHO, layer: 'infrastructure' })).toBe(1);
  expect(metrics.total('ambit_calls_total')).toBe(0);
  const stopped = watched({ tools: { fetch: {} }, plans: [ONE] });
  await stopped.bench.runtime.killSwitches.throw({ scope: { tool: 'fetch' }, by: 'ana', reason: 'stop' });
  expect(await stopped.bench.invoke()).toMatchObject({ reason: 'kill_switch_on' });
  // The turn was taken twice because of the switch but written, and therefore counted, once.
  expect(stopped.metrics.total('ambit_refusals_total', { code: 'kill_switch_on' })).toBe(1);
});

test('counts a call that the gateway holds back as unsent, and not as an answer of the tool', async () => {
  const rulings = [{ ok: true } as const];
  const infrastructure = { permits: () => rulings.pop() ?? ({ ok: false, reason: 'closed meanwhile' } as const) };
  const { bench, metrics } = watched({ tools: { fetch: {} }, plans: [ONE], world: { infrastructure } });
  await bench.invoke();
  expect(bench.dispatches).toEqual([]);
  expect(metrics.total('ambit_calls_total', { ...WHO, tool: 'fetch', outcome: 'unsent' })).toBe(1);
  expect(metrics.total('ambit_calls_total')).toBe(1);
});

test('counts gates as they open and are decided, and shows how many are open', async () => {
  const { bench, metrics } = watched(PAY);
  const { pending } = await bench.invoke();
  const gate = { gate: 'GATE_FINANCE' };
  expect(metrics.total('ambit_gates_opened_total', { ...WHO, ...gate, kind: 'action' })).toBe(1);
  await soon();
  expect(metrics.level('ambit_gates_open', { tenant: 'tenant_a', ...gate })).toBe(1);
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const own = { packetHash, credential: operator('agt_worker'), reason: 'mine' };
  await expect(bench.runtime.approve(gateId, own)).rejects.toMatchObject({ code: 'permission_denied' });
  expect(metrics.total('ambit_gate_decisions_total', { ...WHO, ...gate, decision: 'refused' })).toBe(1);
  await bench.settle(bench.runtime.approve(gateId, { ...own, credential: operator('lead_1') }));
  expect(metrics.total('ambit_gate_decisions_total', { ...WHO, ...gate, decision: 'approve' })).toBe(1);
  await soon();
  expect(metrics.level('ambit_gates_open', { tenant: 'tenant_a', ...gate })).toBe(0);
});

test('shows a breaker that opens, half-opens and closes', async () => {
  let broken = true;
  const fetch = {
    produces: ['done'],
    retries_max: 0,
    execute: () => {
      if (broken) throw new Error('down');
      return { ok: true };
    },
  };
  const plans = Array.from({ length: 40 }, () => ONE);
  const { bench, metrics } = watched({ tools: { fetch }, plans, options: { limits: { onEscalate: 'end' } } });
  const at = { tenant: 'tenant_a', tool: 'fetch' };
  const level = () => metrics.level('ambit_breaker_state', at);
  expect(level()).toBeNull();
  for (let run = 0; level() !== 2 && run < 20; run += 1) await bench.invoke();
  expect(level()).toBe(2);
  expect(metrics.total('ambit_breaker_changes_total', { ...at, state: 'open' })).toBe(1);
  broken = false;
  bench.clock.advanceTo(bench.clock.nowMs() + 60_000);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(level()).toBe(0);
  for (const state of ['half_open', 'closed']) {
    expect(metrics.total('ambit_breaker_changes_total', { ...at, state })).toBe(1);
  }
});

test('a metrics port that throws does not affect the run', async () => {
  const broken = () => {
    throw new Error('the collector is gone');
  };
  const metrics: Metrics = { count: broken, gauge: broken, observe: broken };
  const bench = rig({ tools: { fetch: { produces: ['done'] } }, plans: [ONE], world: { metrics } });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('declares every metric with its labels, and the guide lists them all', async () => {
  const { bench, metrics } = watched(PAY);
  await bench.invoke();
  for (const [name, labels] of Object.entries(metrics.last())) {
    const declared = METRICS[name as keyof typeof METRICS];
    expect(Object.keys(labels).toSorted(), name).toEqual([...declared.labels].toSorted());
  }
  const guide = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
  const rows = Object.entries(METRICS).map(
    ([name, { kind, labels, help }]) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  expect(guide).toContain(rows.join('\n'));
});
