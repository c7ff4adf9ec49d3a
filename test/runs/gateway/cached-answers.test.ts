/**
 * Tests degraded mode: when a tool is down, its declared stand-ins (cached answer, equivalent tool) are tried in the
 * declared order and the run reports it.
 */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { before, fold, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, REQUEST, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const PRICE = { price: 5 };
const HOUR = 3_600_000;

interface Provider {
  up: boolean;
}

/** A tool that fails while its provider is down. */
const live = (provider: Provider, changes: RigTool = {}): RigTool => ({
  retries_max: 1,
  produces: ['done'],
  trusted: true,
  degraded: { cached_for_ms: HOUR },
  execute: () => {
    if (!provider.up) throw new Error('connection refused');
    return PRICE;
  },
  ...changes,
});

const ASK = planOf([{ id: 's1', tool: 'live', params: { item: 'tea' } }]);

function shop(provider: Provider, changes: RigTool = {}, others: RigOptions['tools'] = {}): RigOptions {
  return { tools: { live: live(provider, changes), ...others }, plans: Array.from({ length: 30 }, () => ASK) };
}

const callsOf = ({ dispatches }: Rig, from = 0): readonly string[] => dispatches.slice(from).map(({ tool }) => tool);

async function observedIn(bench: Rig, runId: string) {
  return eventsOf(await bench.events(runId), 'step_observed').at(-1);
}

verifies(
  ['terminate:unavailable-dep:degrade-or-stop', 'escalate:tool-failure:retry-switch-degrade'],
  'uses the cached answer of a tool that is down and reports it in outcome, observation and record; ends naming the tool once the cache has expired',
  async () => {
    const provider = { up: true };
    const bench = rig(shop(provider));
    const first = await bench.invoke();
    expect(first).toMatchObject({ terminalCode: 'SUCCESS', degraded: [] });
    provider.up = false;
    bench.clock.advanceTo(bench.clock.nowMs() + 60_000);
    const sent = bench.dispatches.length;
    const second = await bench.invoke();
    expect(callsOf(bench, sent)).toEqual(['live', 'live']);
    const entry = { step_id: 's1', tool: 'live', by: 'cached', source: 'live', age_ms: expect.any(Number) };
    expect(second).toMatchObject({ terminalCode: 'SUCCESS', degraded: [entry], record: { degraded: [entry] } });
    const seen = await observedIn(bench, second.runId);
    expect(seen).toMatchObject({ outcome: 'ok', raw: PRICE, cached: { run_id: first.runId, call_id: 'call_1' } });
    expect(seen?.cached?.age_ms).toBeGreaterThanOrEqual(60_000);
    expect(seen?.detail).toContain('is not there');
    await bench.runtime.records.replay(second.runId);

    bench.clock.advanceTo(bench.clock.nowMs() + HOUR);
    const third = await bench.invoke();
    expect(third).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP', degraded: [] });
    const end = eventsOf(await bench.events(third.runId), 'run_terminated').at(-1);
    expect(end?.detail).toMatchObject({ dependency: 'live' });
    await bench.runtime.records.replay(third.runId);
  },
);

verifies(
  'escalate:outage:sre-or-degraded',
  'tries stand-ins in the declared order; without any, ends with UNAVAILABLE_DEP and escalates to the SRE',
  async () => {
    for (const [order, answered] of [
      [['equivalent', 'cached'], { by: 'equivalent', source: 'backup' }],
      [['cached', 'equivalent'], { by: 'cached', source: 'live' }],
      [['cached'], { by: 'cached', source: 'live' }],
      [['equivalent'], { by: 'equivalent', source: 'backup' }],
    ] as const) {
      const provider = { up: true };
      const degraded = { order, cached_for_ms: HOUR };
      const others = { backup: { produces: ['done'], execute: () => ({ price: 4 }) } };
      const bench = rig(shop(provider, { degraded, equivalents: ['backup'] }, others));
      await bench.invoke();
      provider.up = false;
      const run = await bench.invoke();
      expect(run, order.join()).toMatchObject({ terminalCode: 'SUCCESS', degraded: [answered] });
      await bench.runtime.records.replay(run.runId);
    }
    const none = rig(shop({ up: false }));
    const ended = await none.invoke();
    expect(ended).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
    expect(eventsOf(await none.events(ended.runId), 'run_escalated')).toMatchObject([
      { escalation: { trigger: 'provider_outage', trigger_class: 'outage', severity: 'moderate', recipient: 'sre' } },
    ]);
  },
);

verifies('escalate:outage:sre-or-degraded', 'does not replace a write with an equivalent that only reads', async () => {
  const write: RigTool = { side_effect: true, approval_mode: 'local_write', idempotency: { kind: 'natural' } };
  const tools = {
    write: {
      ...write,
      retries_max: 0,
      equivalents: ['backup'],
      produces: ['done'],
      execute: () => Promise.reject(new Error('down')),
    },
    backup: { produces: ['done'] },
  };
  const plan = planOf([{ id: 's1', tool: 'write', params: { n: 1 } }]);
  const bench = rig({ tools, plans: Array.from({ length: 60 }, () => plan) });
  while (bench.runtime.agents.breakers().every(({ state, runId }) => runId !== undefined || state !== 'open'))
    await bench.invoke();
  const sent = bench.dispatches.length;
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  expect(callsOf(bench, sent)).toEqual([]);
  expect(callsOf(bench)).not.toContain('backup');
});

verifies(
  'escalate:tool-failure:retry-switch-degrade',
  'retries first, then calls the equivalent tool, which needs its own permission',
  async () => {
    const others = { backup: { produces: ['done'] } };
    const bench = rig(shop({ up: false }, { degraded: {}, equivalents: ['backup'] }, others));
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS', degraded: [{ by: 'equivalent', source: 'backup' }] });
    expect(callsOf(bench)).toEqual(['live', 'live', 'backup']);
    expect(eventsOf(await bench.events(run.runId), 'step_cleared')).toHaveLength(3);
    await bench.runtime.records.replay(run.runId);

    const narrow = rig({
      ...shop({ up: false }, { degraded: {}, equivalents: ['backup'] }, others),
      agent: (agent) => ({ ...agent, access: { ...agent.access, tool_scopes: { live: ['all'], backup: ['other'] } } }),
    });
    const refused = await narrow.invoke();
    expect(refused).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    expect(callsOf(narrow)).toEqual(['live', 'live']);
  },
);

test('answers from the cache at once while the breaker is open, without a dispatch', async () => {
  const provider = { up: true };
  const bench = rig(shop(provider));
  await bench.invoke();
  provider.up = false;
  while (bench.runtime.agents.breakers().every(({ state }) => state !== 'open')) await bench.invoke();
  const sent = bench.dispatches.length;
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', degraded: [{ by: 'cached' }] });
  expect(bench.dispatches).toHaveLength(sent);
});

test('uses a cached answer only for the same arguments, tenant and identity', async () => {
  const provider = { up: true };
  const other = planOf([{ id: 's1', tool: 'live', params: { item: 'coffee' } }]);
  const bench = rig({ ...shop(provider), plans: [ASK, other, ASK, ASK, ASK] });
  await bench.invoke();
  provider.up = false;
  const as = (changes: JsonObject): JsonObject => ({
    identity: { ...REQUEST.identity, ...changes },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  const elsewhere = { tenant_id: 'tenant_b', ...as({ tenant_id: 'tenant_b' }) };
  expect(await bench.invoke(elsewhere)).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  expect(await bench.invoke(as({ actor: 'agt_other' }))).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', degraded: [{ by: 'cached' }] });
});

test('caches only answers that match the output schema, and keeps answers to untrusted arguments untrusted', async () => {
  const provider = { up: true };
  const odd = rig(shop(provider, { output_schema: { type: 'object', required: ['missing'] }, retries_max: 0 }));
  await odd.invoke();
  provider.up = false;
  expect(await odd.invoke()).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });

  const source = { up: true };
  const asked = planOf([
    { id: 'a', tool: 'page' },
    { id: 's1', tool: 'live', params: { item: { $from: 'a', path: '/item' } }, depends_on: ['a'] },
  ]);
  const page: RigTool = { trusted: false, execute: () => ({ item: 'tea' }) };
  const bench = rig({ tools: { live: live(source), page }, plans: [asked, ASK] });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  source.up = false;
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS', degraded: [{ by: 'cached' }] });
  expect((await observedIn(bench, run.runId))?.cached).toMatchObject({ trusted: false });
  expect((await bench.runtime.records.replay(run.runId)).state.planning.exposed).toBe(true);
});

test('rejects a journal that marks a fresh answer as cached or a cached answer as fresh', async () => {
  const provider = { up: true };
  const options = shop(provider);
  const bench = rig(options);
  const first = await bench.invoke();
  provider.up = false;
  const second = await bench.invoke();
  const env = kernelOf(options);
  const fresh = await bench.events(first.runId);
  const old = await bench.events(second.runId);
  const seen = await observedIn(bench, second.runId);
  const live = await observedIn(bench, first.runId);
  if (seen?.cached === undefined || live === undefined) throw new Error('no answer was cached');
  const { cached, ...plain } = seen;
  const state = before(env, fresh, 'step_observed');
  expect(offer(env, state, { ...live, cached })[2]?.message).toContain('nobody asked for');
  const waiting = fold(env, old)[
    old.findIndex((event) => event.type === 'step_observed' && event.cached !== undefined)
  ];
  if (waiting === undefined) throw new Error('nothing waits for it');
  expect(offer(env, waiting, plain)[2]?.message).toContain('not asked');
  expect(offer(env, waiting, { ...seen, cached: { ...cached, age_ms: HOUR + 1 } })[2]?.message).toContain('ms old');
});

test('rejects a cached stand-in for a tool with side effects and for a dispatcher', () => {
  const acting: RigTool = { side_effect: true, approval_mode: 'local_write', degraded: { cached_for_ms: 5 } };
  expect(() => rig({ tools: { acting }, plans: [] })).toThrow(/only looks itself/);
  const passing: RigTool = { unwrap: { tool: '/tool', args: '/args' }, degraded: { cached_for_ms: 5 } };
  expect(() => rig({ tools: { passing }, plans: [] })).toThrow(/only looks itself/);
});
