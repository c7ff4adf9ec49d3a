/**
 * Tests calls whose answer is lost: a probe checks first, then the call is repeated under its key, then a person
 * decides; all only after the first call is over.
 */
import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { CAPS, handoverPacket, neverAnswers, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);
const FOUND = { receipt: 'r_1' };
const KINDS = { key: { kind: 'key', retention_ms: 600_000 }, none: { kind: 'none' } } as const;
const CONTINUE: EventBody = { type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'once more' };

interface Shop {
  readonly kind: keyof typeof KINDS;
  /** The answer of the probe. */
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
  test('uses the result of the probe as the observation and does not call the tool again', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await crashDuringCall('pay', options);
    const next = restartProcess(first, options);
    const run = await next.settle(next.runtime.resume('run_1'));
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(sentTo(next, 'pay')).toEqual([]);
    const [call] = sentTo(first, 'pay');
    expect(sentTo(next, 'find')).toMatchObject([{ args: { key: call?.key } }]);
    const events = await next.events('run_1');
    expect(events.find(({ type }) => type === 'call_reconciled')).toMatchObject({ finding: 'happened', raw: FOUND });
    expect(await next.runtime.records.transcripts('run_1')).toMatchObject([{ result: { outcome: 'ok', raw: FOUND } }]);
    await next.runtime.records.replay('run_1');
    expect(sentTo(next, 'find')).toHaveLength(1);
  });

  test('does not probe before the first call has timed out', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await crashDuringCall('pay', options);
    const next = restartProcess(first, options);
    await next.settle(next.runtime.resume('run_1'));
    const attempted = (await next.events('run_1')).find((event) => event.type === 'step_attempted');
    const [look] = sentTo(next, 'find');
    expect(look?.at).toBe((attempted?.dispatch_before ?? 0) + (attempted?.timeout_ms ?? 0));
  });

  test('sends a call that did not happen again under the same key', async () => {
    const options = shop({ kind, look: () => undefined });
    const first = await crashDuringCall('pay', options);
    const next = restartProcess(first, options);
    expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(sentTo(next, 'pay').map(({ key }) => key)).toEqual(sentTo(first, 'pay').map(({ key }) => key));
    await next.runtime.records.replay('run_1');
  });

  test('probes again after a second crash during the probe', async () => {
    const options = shop({ kind, look: () => FOUND });
    const first = await crashDuringCall('pay', options);
    const blind = restartProcess(first, shop({ kind, look: () => new Promise(() => undefined) }));
    void blind.runtime.resume('run_1').catch(() => undefined);
    const looked = async (): Promise<boolean> => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return sentTo(blind, 'find').length > 0;
    };
    // From here on its clock stands still, like that of a dead process.
    while (!(await looked())) blind.clock.advanceTo(blind.clock.next() ?? blind.clock.nowMs());
    const third = restartProcess(blind, options);
    expect(await third.settle(third.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
    expect([...sentTo(blind, 'pay'), ...sentTo(third, 'pay')]).toEqual([]);
    await third.runtime.records.replay('run_1');
  });
});

test('probes again after a crash during the repeated call', async () => {
  const seen: Json[] = [];
  const options = shop({ kind: 'none', look: () => seen[0] });
  const first = await crashDuringCall('pay', options);
  const reached = Promise.withResolvers<void>();
  const second = restartProcess(
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
  const third = restartProcess(second, options);
  const run = await third.settle(third.runtime.resume('run_1'));
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(third, 'pay')).toEqual([]);
  expect(await typesOf(third, 'run_1')).not.toContain('run_escalated');
});

test('repeats the call under the same key if the probe does not know', async () => {
  const options = shop({ kind: 'key', look: () => ({ finding: 'unknown' }) });
  const first = await crashDuringCall('pay', options);
  const next = restartProcess(first, options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'pay').map(({ key }) => key)).toEqual(sentTo(first, 'pay').map(({ key }) => key));
});

test.each([
  ['says that it does not know', () => ({ finding: 'unknown' })],
  ['fails', () => Promise.reject(new Error('down'))],
  ['gives an unexpected answer', () => ['what?']],
  ['never answers', () => new Promise<never>(() => undefined)],
] as const)('without a key, a person decides if the probe %s', async (_, look) => {
  const options = shop({ kind: 'none', look });
  const first = await crashDuringCall('pay', options);
  const next = restartProcess(first, options);
  const run = await next.settle(next.runtime.resume('run_1'));
  expect(run).toMatchObject({ status: 'paused', suspended: { reason: 'call_in_doubt' } });
  expect(sentTo(next, 'pay')).toEqual([]);
  expect(
    await next.settle(
      next.runtime.sessions.send('run_1', {
        ...CONTINUE,
        ...handoverPacket(await next.runtime.sessions.get('run_1')),
      }),
    ),
  ).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'pay')).toHaveLength(1);
  await next.runtime.records.replay('run_1');
});

test('carries out an early decision of a person only after the first call has timed out', async () => {
  const { tools, ...rest } = shop({ kind: 'none', look: () => undefined });
  const { probes: _probes, ...pay } = tools?.['pay'] ?? {};
  const options = { ...rest, tools: { ...tools, pay } };
  const first = await crashDuringCall('pay', options);
  const next = restartProcess(first, options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ status: 'paused' });
  await next.settle(
    next.runtime.sessions.send('run_1', {
      ...CONTINUE,
      ...handoverPacket(await next.runtime.sessions.get('run_1')),
    }),
  );
  const attempted = (await next.events('run_1')).find((event) => event.type === 'step_attempted');
  const over = (attempted?.dispatch_before ?? 0) + (attempted?.timeout_ms ?? 0);
  expect(sentTo(next, 'pay').map(({ at }) => at)).toEqual([over]);
});

test('charges a probe to the budget; a call whose probe is over budget stays in doubt', async () => {
  const { plans = [], ...options } = shop({ kind: 'none', look: () => FOUND, pay: neverAnswers });
  const rich = rig({ ...options, plans });
  const paid = await rich.invoke();
  expect(paid).toMatchObject({ terminalCode: 'SUCCESS' });
  expect((await rich.runtime.records.replay(paid.runId)).state.budget?.used.tool_calls).toBe(2);
  const poor = rig({ ...options, plans, caps: { ...CAPS, tool_calls_max: 1 } });
  expect(await poor.invoke()).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
  expect(sentTo(poor, 'find')).toEqual([]);
});

verifies(
  'pathology:idempotency-failure:stop-and-reconcile',
  'repeats a call that timed out after its effect under the same key, and stops retrying once a probe finds that it happened',
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
          return neverAnswers(args, context);
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

test('stores a large probe result as a blob and passes its parts to the steps bound to them', async () => {
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
  const next = restartProcess(await crashDuringCall('pay', options), options);
  expect(await next.settle(next.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(sentTo(next, 'send')).toMatchObject([{ args: { receipt: 'r_1' } }]);
  const [seen] = (await next.events('run_1')).filter((event) => event.type === 'call_reconciled');
  expect(seen).toMatchObject({ raw: { parts: { '/receipt': 'r_1' } }, stored: { validator: expect.any(String) } });
});
