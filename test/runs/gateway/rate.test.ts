/** Tests the rate limit of a tool: a call that is slightly early is deferred, one that is far too early is refused. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig, START_MS } from '../rig.ts';

const ID = 'gateway:budget-rate:terminate-defer-or-ask';

const threeCalls = (rate: { calls: number; per_ms: number }): RigOptions => ({
  tools: { ask: { limits: { rate } }, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 's1', tool: 'ask', params: { n: 1 } },
      { id: 's2', tool: 'ask', params: { n: 2 }, depends_on: ['s1'] },
      { id: 's3', tool: 'finish', depends_on: ['s2'] },
    ]),
  ],
});

verifies(ID, 'defers a call that exceeds the rate and sends it later', async () => {
  const bench = rig(threeCalls({ calls: 1, per_ms: 5_000 }));
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.map(({ at }) => at - START_MS)).toEqual([0, 5_000, 5_000]);
  const cleared = (await bench.events(done.runId)).flatMap((event) => (event.type === 'step_cleared' ? [event] : []));
  expect(cleared.map(({ not_before }) => not_before ?? null)).toEqual([null, START_MS + 5_000, null]);
  await bench.runtime.records.replay(done.runId);
});

verifies(ID, 'refuses a call that would wait too long, without calling the tool', async () => {
  const bench = rig(threeCalls({ calls: 1, per_ms: 600_000 }));
  const paused = await bench.invoke();
  expect(bench.dispatches).toHaveLength(1);
  expect(paused.status).toBe('paused');
  expect((await bench.events(paused.runId)).at(-1)).toMatchObject({
    type: 'run_escalated',
    stop: { code: 'BUDGET_EXHAUSTED', reason: 'rate_limited', detail: { layer: 'budget' } },
  });
});

verifies(ID, 'pauses for more budget at a reached cap, without a call', async () => {
  const bench = rig({
    tools: { ask: {}, flaky: { execute: failsOnce() }, finish: { produces: ['done'] } },
    caps: { ...CAPS, tool_calls_max: 3 },
    plans: [
      planOf([
        { id: 's1', tool: 'flaky' },
        { id: 's2', tool: 'ask', depends_on: ['s1'] },
        { id: 's3', tool: 'finish', depends_on: ['s2'] },
      ]),
    ],
  });
  const paused = await bench.invoke();
  expect(paused.status).toBe('paused');
  expect((await bench.events(paused.runId)).at(-1)).toMatchObject({
    type: 'run_escalated',
    stop: { code: 'BUDGET_EXHAUSTED', detail: { dimension: 'tool_calls' } },
  });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['flaky', 'flaky']);
});

/** A tool whose retry uses up the call that the plan had left for its last step. */
function failsOnce(): () => { readonly ok: true } {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
    return { ok: true };
  };
}

test('two tenants do not share a rate limit', async () => {
  const plan = planOf([{ id: 's1', tool: 'ask' }]);
  const tools = { ask: { limits: { rate: { calls: 1, per_ms: 600_000 } }, produces: ['done'] } };
  const bench = rig({ tools, plans: [plan, plan] });
  await bench.invoke();
  await bench.invoke({ tenant_id: 'tenant_b', identity: { ...IDENTITY, tenant_id: 'tenant_b' } });
  expect(bench.dispatches).toHaveLength(2);
});

const IDENTITY = { actor: 'agt_b', roles: ['worker'], scopes: ['all'], expires_at: 4_000_000_000_000 };
