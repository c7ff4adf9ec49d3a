/** What a tool says it did is believed once somebody else has seen it. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { CAPS, planOf, type RigOptions, rig, shown } from '../rig.ts';

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

test('what the probe sees as expected is committed, in the name of the probe', async () => {
  const bench = rig(shop(() => ({ amount: 5 })));
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toMatchObject([{ tool: 'pay' }, { tool: 'look', args: { receipt: 'r_1' } }]);
  const events = await bench.events(run.runId);
  expect(events.find(({ type }) => type === 'step_committed')).toMatchObject({ validator: 'probe:look' });
  await bench.runtime.replay(run.runId);
  expect(bench.dispatches).toHaveLength(2);
});

test('no more becomes state than was confirmed before the probe looked', async () => {
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

test.each(DOUBTS)('nothing is committed where the probe %s, and the call is in doubt', async (_, seen) => {
  const bench = rig(shop(seen));
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  expect(events.filter(({ type }) => type === 'step_committed')).toEqual([]);
  expect(events.find(({ type }) => type === 'step_probed')).toMatchObject({ as_expected: false });
  const { state } = await bench.runtime.replay(run.runId);
  expect(Object.keys(state.work.doubts)).toHaveLength(1);
});

test('a run that may not pay for the look does not commit, and does not do it again either', async () => {
  const { tools, ...rest } = shop(() => ({ amount: 5 }));
  const look = { ...tools?.['look'], external: true };
  const bench = rig({ ...rest, tools: { ...tools, look }, caps: { ...CAPS, external_api_calls_max: 0 } });
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
  const by = { by: 'ben', reason: 'enough', ...shown(run) };
  await bench.settle(
    bench.runtime.tell(run.runId, { type: 'budget_extended', ...by, delta: { external_api_calls: 5 } }),
  );
  expect(bench.dispatches.filter(({ tool }) => tool === 'pay')).toHaveLength(1);
  expect(await bench.runtime.outcome(run.runId)).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
});
