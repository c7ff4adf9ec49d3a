/** Tests verify probes: a result with side effects is committed only after a probe has confirmed it. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { CAPS, handoverPacket, planOf, type RigOptions, rig } from '../rig.ts';

const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);

function shop(seen: () => Json | Promise<Json>, kind: 'key' | 'none' = 'none'): RigOptions {
  return {
    tools: {
      pay: {
        side_effect: true,
        approval_mode: 'local_write',
        produces: ['done'],
        retries_max: 0,
        idempotency: kind === 'key' ? { kind, retention_ms: 600_000 } : { kind },
        probes: { verify: 'look' },
        probing: {
          verify: {
            args: ({ result }) => ({ receipt: (result as { receipt: string }).receipt }),
            expect: (args, found) => (found as { amount?: unknown }).amount === args['amount'],
          },
        },
        execute: () => ({ receipt: 'r_1' }),
      },
      look: { execute: seen },
    },
    plans: [PLAN],
  };
}

test('commits a result that the probe confirms, with the probe as validator', async () => {
  const bench = rig(shop(() => ({ amount: 5 })));
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toMatchObject([{ tool: 'pay' }, { tool: 'look', args: { receipt: 'r_1' } }]);
  const events = await bench.events(run.runId);
  expect(events.find(({ type }) => type === 'step_committed')).toMatchObject({ validator: 'probe:look' });
  await bench.runtime.records.replay(run.runId);
  expect(bench.dispatches).toHaveLength(2);
});

test('commits only the parts that the output schema confirmed before the probe', async () => {
  const { tools } = shop(() => ({ amount: 5 }));
  const output_schema = { type: 'object', properties: { receipt: { type: 'string' } }, required: ['receipt'] };
  const pay = {
    ...tools?.['pay'],
    produces: [],
    output_schema,
    execute: () => ({ receipt: 'r_1', note: 'pay me too' }),
  };
  const bench = rig({
    tools: { ...tools, pay, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'pay', params: { amount: 5 } },
        { id: 'b', tool: 'finish', depends_on: ['a'], params: { seen: { $from: 'a', path: '' } } },
      ]),
    ],
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.at(-1)).toMatchObject({ tool: 'finish', args: { seen: { receipt: 'r_1' } } });
  expect(JSON.stringify(bench.dispatches.at(-1)?.args)).not.toContain('pay me too');
});

const DOUBTS: readonly (readonly [string, () => Json | Promise<Json>])[] = [
  ['sees something else', () => ({ amount: 4 })],
  ['sees nothing it understands', () => 'nothing'],
  ['fails', () => Promise.reject(new Error('down'))],
];

test.each(DOUBTS)('commits nothing if the probe %s, and the call is in doubt', async (_, seen) => {
  const bench = rig(shop(seen));
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  expect(events.filter(({ type }) => type === 'step_committed')).toEqual([]);
  expect(events.find(({ type }) => type === 'step_probed')).toMatchObject({ as_expected: false });
  const { state } = await bench.runtime.records.replay(run.runId);
  expect(Object.keys(state.work.doubts)).toHaveLength(1);
});

test('a run without budget for the probe neither commits nor repeats the call', async () => {
  const { tools, ...rest } = shop(() => ({ amount: 5 }));
  const look = { ...tools?.['look'], external: true };
  const bench = rig({ ...rest, tools: { ...tools, look }, caps: { ...CAPS, external_api_calls_max: 0 } });
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
  const by = { by: 'ben', reason: 'enough', ...handoverPacket(run) };
  await bench.settle(
    bench.runtime.sessions.send(run.runId, { type: 'budget_extended', ...by, delta: { external_api_calls: 5 } }),
  );
  expect(bench.dispatches.filter(({ tool }) => tool === 'pay')).toHaveLength(1);
  expect(await bench.runtime.sessions.get(run.runId)).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
});
