/** Calls that nobody heard of again: a probe looks first, then the key, then a person; and nobody before its time. */
import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/event.ts';
import type { Json } from '../../../src/model/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { diesAt, nextLife } from '../executing/lives.ts';
import { CAPS, planOf, type Rig, type RigOptions, type RigTool, rig, shown, silent } from '../rig.ts';

const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);
const FOUND = { receipt: 'r_1' };
const KINDS = { key: { kind: 'key', retention_ms: 600_000 }, none: { kind: 'none' } } as const;
const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'once more' };

interface Shop {
  readonly kind: keyof typeof KINDS;
  /** What the probe says. */
  readonly look: () => Json | undefined | Promise<Json | undefined>;
  readonly pay?: RigTool['execute'];
  readonly retries?: number;
}

function shop({ kind, look, pay, retries = 0 }: Shop): RigOptions {
  return {
    tools: {
      pay: {
        side_effect: true,
        approval_mode: 'local_write',
        produces: ['done'],
        retries_max: retries,
        idempotency: KINDS[kind],
        output_schema: { type: 'object', properties: { receipt: { type: 'string' } }, required: ['receipt'] },
        probes: { reconcile: 'find' },
        probing: { reconcile: { args: ({ idempotencyKey }) => ({ key: idempotencyKey }) } },
        execute: pay ?? (() => FOUND),
      },
      find: { output_schema: {}, execute: () => look() as never },
    },
    plans: [PLAN],
  };
}

const sentTo = (bench: Rig, tool: string) => bench.dispatches.filter((dispatch) => dispatch.tool === tool);
const typesOf = async (bench: Rig, runId: string) => (await bench.events(runId)).map(({ type }) => type);

describe.each(['key', 'none'] as const)('a process dies while a tool (%s) is called', (kind) => {
  test('what the probe has found becomes the observation, and the tool is not called again', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await diesAt('pay', options);
    const next = nextLife(first, options);
    const run = await next.settle(next.runtime.resume('run_1'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(sentTo(next, 'pay')).toEqual([]);
    const [call] = sentTo(first, 'pay');
    expect(sentTo(next, 'find')).toMatchObject([{ args: { key: call?.key } }]);
    const events = await next.events('run_1');
    expect(events.find(({ type }) => type === 'call_reconciled')).toMatchObject({ finding: 'happened', raw: FOUND });
    expect(await next.runtime.transcripts('run_1')).toMatchObject([{ result: { outcome: 'ok', raw: FOUND } }]);
    await next.runtime.replay('run_1');
    expect(sentTo(next, 'find')).toHaveLength(1);
  });

  test('nobody looks before the call can no longer be on its way', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await diesAt('pay', options);
    const next = nextLife(first, options);
    await next.settle(next.runtime.resume('run_1'));
    const attempted = (await next.events('run_1')).find((event) => event.type === 'step_attempted');
    const [look] = sentTo(next, 'find');
    expect(look?.at).toBe((attempted?.dispatch_before ?? 0) + (attempted?.timeout_ms ?? 0));
  });

  test('what did not happen is sent again under the same key', async () => {
    const options = shop({ kind, look: () => undefined });
    const first = await diesAt('pay', options);
    const next = nextLife(first, options);
    expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(sentTo(next, 'pay').map(({ key }) => key)).toEqual(sentTo(first, 'pay').map(({ key }) => key));
    await next.runtime.replay('run_1');
  });

  test('a process that dies again before the probe has answered only looks again', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await diesAt('pay', options);
    const blind = nextLife(first, shop({ kind, look: () => new Promise(() => undefined) }));
    void blind.runtime.resume('run_1').catch(() => undefined);
    const looked = async (): Promise<boolean> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return sentTo(blind, 'find').length > 0;
    };
    // Its time stands still from there on, as that of a dead process does.
    while (!(await looked())) blind.clock.advanceTo(blind.clock.next() ?? blind.clock.nowMs());
    const third = nextLife(blind, options);
    expect(await third.settle(third.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect([...sentTo(blind, 'pay'), ...sentTo(third, 'pay')]).toEqual([]);
    await third.runtime.replay('run_1');
  });
});

test('a process that dies while it sends what did not happen leaves a call that is looked for again', async () => {
  const seen: Json[] = [];
  const options = shop({ kind: 'none', look: () => seen[0] });
  const first = await diesAt('pay', options);
  const reached = Promise.withResolvers<void>();
  const second = nextLife(
    first,
    shop({
      kind: 'none',
      look: () => undefined,
      pay: async () => {
        seen.push(FOUND);
        reached.resolve();
        return await new Promise<never>(() => undefined);
      },
    }),
  );
  const dying = second.settle(second.runtime.resume('run_1'));
  await Promise.race([dying, reached.promise]);
  const third = nextLife(second, options);
  const run = await third.settle(third.runtime.resume('run_1'));
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(third, 'pay')).toEqual([]);
  expect(await typesOf(third, 'run_1')).not.toContain('run_escalated');
});

test('where the probe does not know, the same key is sent again', async () => {
  const options = shop({ kind: 'key', look: () => ({ finding: 'unknown' }) });
  const first = await diesAt('pay', options);
  const next = nextLife(first, options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'pay').map(({ key }) => key)).toEqual(sentTo(first, 'pay').map(({ key }) => key));
});

test.each([
  ['says that it does not know', () => ({ finding: 'unknown' })],
  ['fails', () => Promise.reject(new Error('down'))],
  ['answers with something else', () => ['what?']],
  ['never answers', () => new Promise<never>(() => undefined)],
] as const)('where there is no key and the probe %s, a person decides', async (_, look) => {
  const options = shop({ kind: 'none', look });
  const first = await diesAt('pay', options);
  const next = nextLife(first, options);
  const run = await next.settle(next.runtime.resume('run_1'));
  expect(run).toMatchObject({ status: 'paused', suspended: { reason: 'call_in_doubt' } });
  expect(sentTo(next, 'pay')).toEqual([]);
  expect(
    await next.settle(next.runtime.tell('run_1', { ...CONTINUE, ...shown(await next.runtime.outcome('run_1')) })),
  ).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'pay')).toHaveLength(1);
  await next.runtime.replay('run_1');
});

test('a person who decides too soon is heeded once the first call can no longer be on its way', async () => {
  const { tools, ...rest } = shop({ kind: 'none', look: () => undefined });
  const { probes: _probes, ...pay } = tools?.['pay'] ?? {};
  const options = { ...rest, tools: { ...tools, pay } };
  const first = await diesAt('pay', options);
  const next = nextLife(first, options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ status: 'paused' });
  await next.settle(next.runtime.tell('run_1', { ...CONTINUE, ...shown(await next.runtime.outcome('run_1')) }));
  const attempted = (await next.events('run_1')).find((event) => event.type === 'step_attempted');
  const over = (attempted?.dispatch_before ?? 0) + (attempted?.timeout_ms ?? 0);
  expect(sentTo(next, 'pay').map(({ at }) => at)).toEqual([over]);
});

test('a probe is paid for, and what cannot be paid for stays unknown', async () => {
  const { plans = [], ...options } = shop({ kind: 'none', look: () => FOUND, pay: silent });
  const rich = rig({ ...options, plans });
  const paid = await rich.invoke();
  expect(paid).toMatchObject({ terminalCode: 'SUCCESS' });
  expect((await rich.runtime.replay(paid.runId)).state.budget?.used.tool_calls).toBe(2);
  const poor = rig({ ...options, plans, caps: { ...CAPS, tool_calls_max: 1 } });
  expect(await poor.invoke()).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
  expect(sentTo(poor, 'find')).toEqual([]);
});

verifies(
  'pathology:idempotency-failure:stop-and-reconcile',
  'a tool that fell silent after its effect is asked again with the same key; that it was done already stops the retries',
  async () => {
    const effects: string[] = [];
    let looks = 0;
    const bench = rig(
      shop({
        kind: 'key',
        retries: 5,
        look: () => {
          looks += 1;
          return looks === 1 ? { finding: 'unknown' } : FOUND;
        },
        pay: (args, context) => {
          if (effects.includes(context.idempotencyKey)) throw new Error('this key was used before');
          effects.push(context.idempotencyKey);
          return silent(args, context);
        },
      }),
    );
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(sentTo(bench, 'pay').map(({ key }) => key)).toEqual([effects[0], effects[0]]);
    expect(effects).toHaveLength(1);
    const types = await typesOf(bench, run.runId);
    expect(types.filter((type) => type === 'call_reconciled')).toHaveLength(2);
    expect(types.lastIndexOf('call_reconciled')).toBeGreaterThan(types.lastIndexOf('step_attempted'));
  },
);

test('what a probe has found is kept whole where it is large, and its parts reach the steps that are bound to them', async () => {
  const found = { ...FOUND, text: 'z'.repeat(2_000) };
  const { tools, ...others } = shop({ kind: 'none', look: () => found });
  const options: RigOptions = {
    ...others,
    tools: {
      ...tools,
      pay: { ...tools?.['pay'], produces: [] },
      find: { ...tools?.['find'], limits: { payload_max_bytes: 1_000 } },
      send: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'pay', params: { amount: 5 } },
        { id: 'b', tool: 'send', params: { receipt: { $from: 'a', path: '/receipt' } }, depends_on: ['a'] },
      ]),
    ],
  };
  const next = nextLife(await diesAt('pay', options), options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'send')).toMatchObject([{ args: { receipt: 'r_1' } }]);
  const [seen] = (await next.events('run_1')).filter((event) => event.type === 'call_reconciled');
  expect(seen).toMatchObject({ raw: { parts: { '/receipt': 'r_1' } }, stored: { validator: expect.any(String) } });
});
